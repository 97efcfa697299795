// Chains as candidates for the split of a matrix product: several tiles divide the depth (K) of its sums.
#include "compiler/Planning/Cost/Movement.h"
#include "compiler/Tile/Plan/HintedSplits.h"
#include "compiler/Tile/Plan/SplitCandidates.h"
#include "isa/Timing/Pod.h"

namespace tilerig::compiler {

namespace {

class ChainBuilder {
public:
  ChainBuilder(const SplitProblem &problem, const DeviceOp &deviceOp,
               std::span<const EngineMapping> engineMappings)
      : problem(problem), deviceOp(deviceOp), engineMappings(engineMappings),
        depth(depthOf(deviceOp, problem.network.tensors)) {}

  SplitCandidate chainOf(const Split &split) const {
    const std::vector<int64_t> &shape = problem.resultShape(deviceOp);
    SplitCandidate candidate;
    candidate.choice.split = split;
    candidate.boxes = boxesOf(split, deviceOp, shape, problem.tiles);
    candidate.worked = workedBoxesOf(split, deviceOp, shape, problem.tiles);
    for (unsigned tile = 0; tile < problem.tiles; ++tile)
      candidate.depths.push_back(depthOfTile(split, depth, tile));
    candidate.ends = endsOfParts(split, deviceOp, shape);
    chooseBoxes(candidate);
    candidate.inPlace = candidate.compute;
    countBytesRead(problem, deviceOp, candidate);
    return candidate;
  }

private:
  // For a chain (tiles that divide the depth of a sum), chooses into how many boxes each tile's share of the
  // result is cut along one axis, and the mapping to the engines.
  void chooseBoxes(SplitCandidate &candidate) const {
    const Box &share = *std::ranges::max_element(candidate.worked, {}, &Box::elements);
    const size_t rows = share.rank() - 2, columns = share.rank() - 1;
    const size_t axis = deviceOp.divisible[rows] && share[rows].size() > 1 ? rows : columns;
    candidate.compute = UINT64_MAX;
    for (int64_t count = 1;
         count == 1 || (deviceOp.divisible[axis] && count <= share[axis].size() && count <= 32); count *= 2) {
      std::vector<int64_t> cuts(share.rank(), 1);
      cuts[axis] = count;
      const Box box = stepsOf(share, cuts, deviceOp).back();
      for (const EngineMapping &engineMapping : engineMappings) {
        const uint64_t cycles = cyclesOf(candidate, box, static_cast<uint64_t>(count), engineMapping);
        if (cycles < candidate.compute) {
          candidate.compute = cycles;
          candidate.choice.engineMapping = engineMapping;
          candidate.choice.cuts = cuts;
        }
      }
    }
  }

  // Cycles that a chain (tiles that divide the depth of a sum) takes for `count` boxes like `box`. The first
  // box passes all tiles of the chain, and the next ones follow in a pipeline: the sums of one box are sent
  // while those of the next box are added up.
  uint64_t cyclesOf(const SplitCandidate &candidate, const Box &box, uint64_t count,
                    const EngineMapping &engineMapping) const {
    const std::vector<DeviceTensor> &tensors = problem.network.tensors;
    const Machine &machine = problem.machine;
    const MovementCosts movement(machine, problem.tiles);
    const uint64_t sums = box.elements() * sizeBytes(sumTypeOf(deviceOp, tensors)),
                   sent = movement.tileCycles(sums),
                   added =
                       cyclesOfPart(deviceOp, tensors, box, candidate.depths.back(), engineMapping, machine),
                   wait = 2 * movement.handOverCycles() + machine.sync.localCycles;
    const auto length = static_cast<uint64_t>(candidate.choice.split.chain);
    return length * added + (length - 1) * (sent + wait) +
           (count - 1) * (std::max(added, sent) + machine.sync.semaphoreCycles);
  }

  const SplitProblem &problem;
  const DeviceOp &deviceOp;
  std::span<const EngineMapping> engineMappings;
  int64_t depth;
};

// Whether to consider chains: if hints ask for them, or if the result has so few blocks (parts that the POD,
// the matrix engine, computes at a time) per tile that the tiles cannot share them evenly. A single block
// takes as long on a chain as on one tile, because its products are added in a fixed order.
bool canFormChains(const SplitProblem &problem, size_t step, const Hints &hints) {
  const DeviceOp &deviceOp = *problem.opAt(step);
  const std::vector<DeviceTensor> &tensors = problem.network.tensors;
  if (deviceOp.kind != DeviceOpKind::matmul || deviceOp.addend || problem.pinned[step] ||
      depthOf(deviceOp, tensors) == 0)
    return false;
  const PodRate &rate = rateOf(tensors[deviceOp.operands[0].tensor].type, problem.machine.pod);
  const uint64_t block = uint64_t{rate.positions} * rate.outputs;
  constexpr uint64_t few = 4;
  const bool isShort = Box::whole(problem.resultShape(deviceOp)).elements() < few * problem.tiles * block;
  return hints.splitsDepth || (hints.empty() && isShort && !problem.isFedByDdr(step));
}

} // namespace

void addChains(const SplitProblem &problem, size_t step, std::span<const EngineMapping> engineMappings,
               SplitCandidates &candidates, std::string &reason) {
  const DeviceOp &deviceOp = *problem.opAt(step);
  Hints hints = problem.hintsOf(deviceOp);
  if (!canFormChains(problem, step, hints))
    return;
  constexpr int64_t leastDepth = 32;
  const int64_t depth = depthOf(deviceOp, problem.network.tensors);
  const ChainBuilder builder(problem, deviceOp, engineMappings);
  // consider chains (tiles that divide a sum) even if the layer's hints do not ask for them
  hints.splitsDepth = true;
  for (Split split : splitsFor(hints, deviceOp, problem.resultShape(deviceOp), problem.tiles / 2, reason))
    for (const int64_t parts = split.tiles();
         split.chain * 2 * parts <= static_cast<int64_t>(problem.tiles);) {
      split.chain *= 2;
      if (depth / split.chain < leastDepth)
        break;
      if (std::string unmet = unmetHint(hints, deviceOp, problem.network.tensors, split); !unmet.empty())
        reason = std::move(unmet);
      else
        candidates.push_back(builder.chainOf(split));
    }
}

} // namespace tilerig::compiler
