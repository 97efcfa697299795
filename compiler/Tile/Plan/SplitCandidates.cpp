#include "compiler/Tile/Plan/SplitCandidates.h"

#include "compiler/Tile/Plan/HintedSplits.h"
#include "compiler/Tile/Plan/OpCycles.h"
#include "compiler/Tile/Plan/Views.h"

#include <fmt/core.h>

namespace tilerig::compiler {

uint64_t SplitCandidate::partsIn(const Box &box) const {
  uint64_t count = 1;
  for (size_t axis = 0; axis < ends.size(); ++axis) {
    const auto first = std::ranges::upper_bound(ends[axis], box[axis].begin);
    const auto last = std::lower_bound(first, ends[axis].end(), box[axis].end);
    count *= static_cast<uint64_t>(last - first) + 1;
  }
  return count;
}

std::vector<std::vector<int64_t>> endsOfParts(const Split &split, const DeviceOp &deviceOp,
                                              std::span<const int64_t> shape) {
  std::vector<std::vector<int64_t>> all(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis)
    for (int64_t part = 0; part < split.parts[axis]; ++part)
      all[axis].push_back(split.rangeOf(axis, part, shape[axis], deviceOp.groupSize[axis]).end);
  return all;
}

void countBytesRead(const SplitProblem &problem, const DeviceOp &deviceOp, SplitCandidate &candidate) {
  for (unsigned tile = 0; tile < problem.tiles; ++tile) {
    if (candidate.workedBox(tile).empty())
      continue;
    uint64_t ofConstants = 0, ofOthers = 0;
    for (const Operand &operand : deviceOp.operands) {
      const DeviceTensor &tensor = problem.network.tensors[operand.tensor];
      (tensor.constant() ? ofConstants : ofOthers) +=
          candidate.needed(operand, tensor, tile).elements() * sizeBytes(tensor.type);
    }
    candidate.constantBytes = std::max(candidate.constantBytes, ofConstants);
    candidate.readBytes = std::max(candidate.readBytes, ofOthers);
  }
}

namespace {

class CandidateFinder {
public:
  explicit CandidateFinder(const SplitProblem &problem)
      : problem(problem), network(problem.network), machine(problem.machine),
        views(possibleViews(problem.network)), noViews(problem.network.tensors.size()) {}

  Result<SplitCandidates> candidatesOf(size_t step, const DeviceOp &deviceOp) const {
    const Hints hints = problem.hintsOf(deviceOp);
    const std::vector<EngineMapping> engineMappings =
        engineMappingsFor(hints, deviceOp, network.tensors, machine);
    SplitCandidates all;
    std::string reason; // the reason why the last split that was ruled out is not possible
    for (const Split &split :
         splitsFor(hints, deviceOp, problem.resultShape(deviceOp), problem.tiles, reason)) {
      std::vector<Box> boxes = boxesOf(split, deviceOp, problem.resultShape(deviceOp), problem.tiles);
      if (!std::ranges::all_of(
              boxes, [&](const Box &box) { return isComputable(deviceOp, network.tensors, box); })) {
        if (reason.empty())
          reason = "one part of the layer's result cannot be computed alone by any instruction";
        continue;
      }
      if (std::string unmet = unmetHint(hints, deviceOp, network.tensors, split); !unmet.empty()) {
        reason = std::move(unmet);
        continue;
      }
      all.push_back(candidateOf(split, deviceOp, std::move(boxes), engineMappings));
      if (problem.isFedByDdr(step))
        useProductSteps(all.back(), deviceOp, engineMappings);
    }
    addChains(problem, step, engineMappings, all, reason);
    if (all.empty())
      return unsupported(fmt::format("the strategy of layer {} ('{}')", deviceOp.layer + 1,
                                     network.layers[deviceOp.layer].name),
                         "cannot be applied: " + reason);
    return all;
  }

private:
  SplitCandidate candidateOf(const Split &split, const DeviceOp &deviceOp, std::vector<Box> boxes,
                             std::span<const EngineMapping> engineMappings) const {
    const Box &largest = *std::ranges::max_element(boxes, {}, &Box::elements);
    SplitCandidate candidate;
    candidate.choice.split = split;
    candidate.compute = UINT64_MAX;
    candidate.ends = endsOfParts(split, deviceOp, problem.resultShape(deviceOp));
    for (const EngineMapping &engineMapping : engineMappings)
      if (const uint64_t cycles =
              computeCycles(deviceOp, network.tensors, noViews, largest, engineMapping, machine);
          cycles < candidate.compute) {
        candidate.compute = cycles;
        candidate.choice.engineMapping = engineMapping;
      }
    candidate.inPlace = isInPlaceInPart(deviceOp, views)
                            ? computeCycles(deviceOp, network.tensors, views, largest, {}, machine)
                            : candidate.compute;
    candidate.boxes = std::move(boxes);
    countBytesRead(problem, deviceOp, candidate);
    return candidate;
  }

  // For a product whose factors both come from DDR, replaces the candidate's costs by those of its
  // ProductSteps: `compute` then includes the loads, and no constant occupies the OCM (on-chip memory) for
  // long.
  void useProductSteps(SplitCandidate &candidate, const DeviceOp &deviceOp,
                       std::span<const EngineMapping> engineMappings) const {
    Split &split = candidate.choice.split;
    split.band = bestBand(deviceOp, split);
    std::vector<Box> shares = boxesOf(split, deviceOp, problem.resultShape(deviceOp), problem.tiles);
    const auto outlook = chooseSteps(deviceOp, network.tensors, shares, engineMappings,
                                     problem.uses[deviceOp.result].empty(), machine);
    if (!outlook) {
      split.band = 0;
      return;
    }
    candidate.boxes = std::move(shares);
    candidate.choice.engineMapping = outlook->engineMapping;
    candidate.choice.product = outlook->steps;
    candidate.compute = candidate.inPlace = outlook->cycles;
    candidate.constantBytes = 0;
  }

  // Chooses Split::band, which determines the order in which parts go to tiles, so that the fewest bytes pass
  // the busiest DDR port: tiles that read the same part should be within few rows of routers.
  int64_t bestBand(const DeviceOp &deviceOp, Split split) const {
    int64_t best = 0;
    uint64_t least = UINT64_MAX;
    for (const int64_t band : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{4}, int64_t{8}, int64_t{16}}) {
      if (band > 0 && (band >= split.parts.back() || split.parts.back() % band != 0))
        continue;
      split.band = band;
      const uint64_t bytes =
          bytesAtBusiestPort(deviceOp, network.tensors,
                             boxesOf(split, deviceOp, problem.resultShape(deviceOp), problem.tiles), machine);
      if (bytes < least) {
        least = bytes;
        best = band;
      }
    }
    return best;
  }

  const SplitProblem &problem;
  const DeviceNetwork &network;
  const Machine &machine;
  // all tensor views (tensors that lie in the buffer of another one) that are possible
  const TensorViews views;
  const TensorViews noViews; // a list of the same length that makes no tensor a view
};

} // namespace

Result<std::vector<SplitCandidates>> findCandidates(const SplitProblem &problem) {
  const CandidateFinder finder(problem);
  std::vector<SplitCandidates> candidates(problem.network.steps.size());
  for (size_t step = 0; step < candidates.size(); ++step)
    if (const DeviceOp *deviceOp = problem.opAt(step)) {
      TILERIG_TRY(candidates[step], finder.candidatesOf(step, *deviceOp));
    }
  return candidates;
}

} // namespace tilerig::compiler
