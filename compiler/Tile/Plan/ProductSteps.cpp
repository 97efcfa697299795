#include "compiler/Tile/Plan/ProductSteps.h"

#include "compiler/Planning/Cost/Movement.h"
#include "compiler/Tile/Ops/Instructions.h"
#include "compiler/Tile/Ops/Split.h"
#include "isa/Machine/Topology.h"
#include "isa/Timing/Latency.h"

#include <deque>
#include <map>

namespace tilerig::compiler {

namespace {

constexpr size_t numFactors = 2;

// Bytes that DDR transfers to read `part`, as whole granules (smallest units of a DDR access). If rows are
// not aligned to granules, each contiguous run of bytes counts with the number of granules that it touches on
// average.
uint64_t bytesOfGranules(const DeviceTensor &tensor, const Box &part, uint64_t granule) {
  uint64_t run = sizeBytes(tensor.type), row = run;
  bool isRow = true;
  for (size_t axis = part.rank(); axis-- > 0 && isRow;) {
    run *= static_cast<uint64_t>(part[axis].size());
    row *= static_cast<uint64_t>(tensor.shape[axis]);
    isRow = part[axis].size() == tensor.shape[axis];
  }
  const uint64_t bytes = part.elements() * sizeBytes(tensor.type);
  if (bytes == 0)
    return 0;
  return row % granule == 0 ? bytesInRuns(tensor, part, granule) : bytes / run * (run + granule - 1);
}

// For each factor of a matrix product: how many tiles read it, and how many distinct parts of it they read,
// in total and through each DDR port.
struct Sharing {
  std::array<uint64_t, numFactors> parts = {};
  std::array<std::array<uint64_t, maxPorts>, numFactors> atPort = {};
  std::array<uint64_t, maxPorts> tilesAtPort = {};
  unsigned tiles = 0;
};

Sharing sharingOf(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                  const std::vector<Box> &shares, const Machine &machine) {
  Sharing sharing;
  for (size_t factor = 0; factor < numFactors; ++factor) {
    const Operand &operand = deviceOp.operands[factor];
    // a part of a factor, and a bit mask of the DDR ports through which it is read
    std::vector<std::pair<Box, uint64_t>> seen;
    for (unsigned tile = 0; tile < shares.size(); ++tile) {
      if (shares[tile].empty())
        continue;
      const Box part = neededBox(operand, tensors[operand.tensor], shares[tile]);
      auto entry = std::ranges::find(seen, part, &std::pair<Box, uint64_t>::first);
      if (entry == seen.end())
        entry = seen.insert(seen.end(), {part, 0});
      const unsigned port = portOf(machine.network, tile);
      if ((entry->second & (uint64_t{1} << port)) == 0)
        ++sharing.atPort[factor][port];
      entry->second |= uint64_t{1} << port;
      if (factor == 0) {
        ++sharing.tilesAtPort[port];
        ++sharing.tiles;
      }
    }
    sharing.parts[factor] = seen.size();
  }
  return sharing;
}

// For a matrix product, the bytes of both factors that pass the busiest DDR port. `bytes` has the size of one
// part of each factor.
uint64_t bytesAtBusiestPort(const Sharing &sharing, const std::array<uint64_t, numFactors> &bytes,
                            const Machine &machine) {
  uint64_t most = 0;
  for (unsigned port = 0; port < numPorts(machine.network); ++port)
    most = std::max(most, sharing.atPort[0][port] * bytes[0] + sharing.atPort[1][port] * bytes[1]);
  return most;
}
uint64_t loadCycles(const Sharing &sharing, const std::array<uint64_t, numFactors> &bytes,
                    const Machine &machine) {
  const uint64_t all = sharing.parts[0] * bytes[0] + sharing.parts[1] * bytes[1];
  return MovementCosts(machine, sharing.tiles).ddrCycles(all, bytesAtBusiestPort(sharing, bytes, machine));
}

// Simulates candidates for the steps in which a tile computes its share of a matrix product, and keeps the
// fastest candidate.
class Outlook {
public:
  Outlook(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors, const std::vector<Box> &shares,
          bool isStored, const Machine &machine)
      : deviceOp(deviceOp), tensors(tensors), machine(machine), isStored(isStored),
        share(*std::ranges::max_element(shares, {}, &Box::elements)), depth(depthOf(deviceOp, tensors)),
        sharing(sharingOf(deviceOp, tensors, shares, machine)) {}

  void tryAll(std::span<const EngineMapping> engineMappings) {
    const size_t rank = share.rank();
    for (const EngineMapping &engineMapping : engineMappings) {
      computed.clear();
      for (int64_t depthParts = 1; depthParts == 1 || depth / depthParts >= leastDepth; depthParts *= 2)
        for (size_t axis = rank - 2; axis < rank; ++axis)
          for (const auto &[parts, halvings] : cuttings)
            for (const int64_t depthHalvings : {0, 1, 2})
              if (deviceOp.divisible[axis] || parts + halvings == 1)
                tryOne({.axis = axis,
                        .parts = parts,
                        .halvings = halvings,
                        .depthParts = depthParts,
                        .depthHalvings = depthHalvings},
                       engineMapping);
    }
  }

  std::optional<ProductOutlook> best;

private:
  struct Cutting {
    int64_t parts, halvings;
  };
  static constexpr Cutting cuttings[] = {{1, 0}, {2, 0}, {2, 1}, {2, 2}, {4, 0},
                                         {4, 1}, {4, 2}, {8, 0}, {8, 1}};
  static constexpr int64_t leastDepth = 64; // a smaller part of the depth would not be worth an instruction
  static constexpr std::array<bool, 2> comesInParts = {false, false}, firstWhole = {true, false},
                                       secondWhole = {false, true};

  // Costs of one step of a matrix product if the result and the depth (K) are split in a given way. They do
  // not depend on which parts of the factors stay in the OCM or are loaded for the whole depth at once.
  struct Step {
    // For each factor, the bytes that DDR transfers for one part of the depth, and for the whole depth.
    std::array<uint64_t, numFactors> partBytes = {}, wholeBytes = {};
    // Cycles to compute the step, and cycles to store its result, which is stored after the last part of the
    // depth only.
    uint64_t compute = 0, store = 0;
    int64_t part = 0; // index of the part of the depth (K) whose products the step adds up
    bool isFirstBox = false;
  };

  void tryOne(ProductSteps steps, const EngineMapping &engineMapping) {
    const std::vector<Box> boxes = boxesOf(steps, share, deviceOp);
    const std::vector<Step> stepCosts = stepsOf(steps, boxes, engineMapping);
    uint64_t least = 0;
    for (const Step &step : stepCosts)
      least += step.compute;
    for (const auto &comesWhole : {comesInParts, firstWhole, secondWhole}) {
      steps.comesWhole = comesWhole;
      for (const uint32_t ahead : {6u, 4u, 2u, 1u}) {
        steps.timeStepsAhead = ahead;
        if ((best && least >= best->cycles) || !keepWhatFits(steps, boxes))
          continue;
        if (const uint64_t cycles = play(steps, stepCosts); !best || cycles < best->cycles)
          best = {steps, engineMapping, cycles};
      }
      // if each step covers the whole depth, the other ways of loading are the same
      if (steps.depthParts == 1)
        return;
    }
  }

  std::vector<Step> stepsOf(const ProductSteps &steps, const std::vector<Box> &boxes,
                            const EngineMapping &engineMapping) {
    const std::vector<Range> cut = depthsOf(steps, depth);
    const std::vector<Range> depths = cut.empty() ? std::vector<Range>{{0, depth}} : cut;
    std::vector<Step> all;
    for (const Box &box : boxes)
      for (size_t part = 0; part < depths.size(); ++part) {
        Step step{.compute = machine.sync.semaphoreCycles + compute(box, depths[part], engineMapping),
                  .part = static_cast<int64_t>(part),
                  .isFirstBox = &box == &boxes.front()};
        for (size_t factor = 0; factor < numFactors; ++factor) {
          step.partBytes[factor] = granulesOf(factor, box, depths[part]);
          if (part == 0)
            step.wholeBytes[factor] = granulesOf(factor, box, {});
        }
        if (isStored && part + 1 == depths.size())
          step.store = storeCycles(box);
        all.push_back(step);
      }
    return all;
  }
  uint64_t granulesOf(size_t factor, const Box &box, Range part) const {
    return bytesOfGranules(tensors[deviceOp.operands[factor].tensor], needed(factor, box, part),
                           machine.ddr.granuleBytes);
  }

  bool isReadByAll(size_t factor, size_t axis) const {
    return std::ranges::none_of(deviceOp.operands[factor].axes,
                                [&](const AxisMap &map) { return map.from == static_cast<int>(axis); });
  }
  Box needed(size_t factor, const Box &box, Range part) const {
    return neededBox(deviceOp.operands[factor], tensors[deviceOp.operands[factor].tensor], box, part);
  }
  uint64_t bytesOf(size_t operand, const Box &part) const {
    return part.elements() * sizeBytes(tensors[deviceOp.operands[operand].tensor].type);
  }

  // For steps in which all boxes of the result read the same parts of one factor. Sets steps.kept to the
  // number of these parts that can stay in the OCM (on-chip memory). Returns false if the steps do not fit an
  // OCM even if no part stays.
  bool keepWhatFits(ProductSteps &steps, const std::vector<Box> &boxes) const {
    const std::vector<Range> depths = depthsOf(steps, depth);
    const uint64_t buffers = steps.timeStepsAhead + 1;
    const Box &box = boxes.front();
    const uint64_t resultBytes = sizeBytes(
        isStored && canGiveNineBits(deviceOp, tensors) ? ElementType::i9 : tensors[deviceOp.result].type);
    uint64_t bytes = share.elements() * resultBytes;
    if (!depths.empty())
      bytes += box.elements() * sizeBytes(sumTypeOf(deviceOp, tensors));
    if (deviceOp.addend)
      bytes +=
          2 * bytesOf(*deviceOp.addend, neededBox(deviceOp.operands[*deviceOp.addend],
                                                  tensors[deviceOp.operands[*deviceOp.addend].tensor], box));
    // If parts of a factor that all boxes read may stay in the OCM: the bytes of one such part.
    uint64_t keptBytes = 0;
    for (size_t factor = 0; factor < numFactors; ++factor) {
      const bool isOfAll = isReadByAll(factor, steps.axis) || boxes.size() == 1;
      if (depths.empty() || steps.comesWhole[factor]) {
        bytes += bytesOf(factor, needed(factor, box, {})) * (isOfAll ? 1 : buffers);
        continue;
      }
      const uint64_t part = bytesOf(factor, needed(factor, box, depths.back()));
      bytes += part * buffers;
      if (isOfAll && boxes.size() > 1)
        keptBytes = part;
    }
    // 1/16 of the OCM is left for the vectors (bias, scale, table) and for gaps between buffers.
    const uint64_t capacity = uint64_t{machine.tile.ocmBytes} * 15 / 16;
    if (bytes > capacity)
      return false;
    steps.kept = keptBytes == 0 ? 0
                                : std::min<int64_t>(static_cast<int64_t>(depths.size()),
                                                    static_cast<int64_t>((capacity - bytes) / keptBytes));
    return true;
  }

  // --- Simulation of loads, computation and stores ---

  struct Pending {
    uint64_t ready, cycles;
  };

  uint64_t play(const ProductSteps &steps, const std::vector<Step> &stepCosts) {
    const uint64_t latency = machine.ddr.latencyCycles + machine.sync.semaphoreCycles;
    const std::array<bool, numFactors> isOfAll = {isReadByAll(0, steps.axis), isReadByAll(1, steps.axis)};
    starts.clear();
    std::deque<Pending> stores;
    uint64_t ddrFree = 0, podFree = 0;
    // Simulates stores until the cycle `end`. Loads have priority: stores use DDR only when no load uses it.
    const auto storeUntil = [&](uint64_t end) {
      while (!stores.empty() && std::max(ddrFree, stores.front().ready) < end) {
        Pending &first = stores.front();
        ddrFree = std::max(ddrFree, first.ready);
        const uint64_t served = std::min(first.cycles, end - ddrFree);
        ddrFree += served;
        if ((first.cycles -= served) == 0)
          stores.pop_front();
      }
    };
    for (const Step &step : stepCosts) {
      const size_t index = starts.size();
      const uint64_t ready = index <= steps.timeStepsAhead ? 0 : starts[index - steps.timeStepsAhead];
      storeUntil(ready);
      const auto bytes = loaded(steps, isOfAll, step);
      const uint64_t load = loadCycles(sharing, bytes, machine);
      ddrFree = std::max(ddrFree, ready) + load;
      // DDR serves all requests that are waiting at the start in turn, piece by piece, so the loads of the
      // first steps all arrive together.
      const uint64_t arrival = index == 0 ? load * togetherAtFirst(steps, bytes) : ddrFree;
      starts.push_back(std::max(podFree, arrival + latency));
      podFree = starts.back() + step.compute;
      if (step.store > 0)
        stores.push_back({podFree, step.store});
    }
    storeUntil(UINT64_MAX);
    return std::max(podFree, isStored ? ddrFree + latency : 0);
  }

  // Number of bytes to load for this step, for each factor of the matrix product; 0 if the step's part of the
  // factor is in the OCM already.
  static std::array<uint64_t, numFactors>
  loaded(const ProductSteps &steps, const std::array<bool, numFactors> &isOfAll, const Step &step) {
    std::array<uint64_t, numFactors> bytes = {};
    for (size_t factor = 0; factor < numFactors; ++factor) {
      const bool isWhole = steps.depthParts == 1 || steps.comesWhole[factor],
                 wasThere = !step.isFirstBox && isOfAll[factor];
      if (isWhole)
        bytes[factor] = step.part > 0 || wasThere ? 0 : step.wholeBytes[factor];
      else
        bytes[factor] = wasThere && step.part < steps.kept ? 0 : step.partBytes[factor];
    }
    return bytes;
  }

  // How many steps have their loads in flight together at the start, given the limit of concurrent DDR reads.
  uint64_t togetherAtFirst(const ProductSteps &steps, const std::array<uint64_t, numFactors> &bytes) const {
    constexpr uint64_t most = 32; // largest number of concurrent DDR reads
    uint64_t reads = 0;
    for (size_t factor = 0; factor < numFactors; ++factor)
      reads += sharing.parts[factor] * ((bytes[factor] + bytesOfPiece - 1) / bytesOfPiece);
    return std::clamp<uint64_t>(most / reads, 1, steps.timeStepsAhead + 1);
  }

  uint64_t storeCycles(const Box &box) const {
    const uint64_t bytes = bytesOfGranules(tensors[deviceOp.result], box, machine.ddr.granuleBytes);
    const uint64_t most = std::ranges::max(sharing.tilesAtPort);
    return MovementCosts(machine, sharing.tiles).ddrCycles(sharing.tiles * bytes, most * bytes);
  }

  // Cycles to compute a box of the result over a part of the depth (K); memoised by size, since steps of
  // equal size take equal time.
  uint64_t compute(const Box &box, Range part, const EngineMapping &engineMapping) {
    const bool begins = part.begin == 0, ends = part.end == depth;
    const std::array<int64_t, 5> size = {box[box.rank() - 2].size(), box[box.rank() - 1].size(), part.size(),
                                         begins, ends};
    const auto [entry, isNew] = computed.try_emplace(size, 0);
    if (isNew)
      entry->second =
          cyclesOfPart(deviceOp, tensors, box, begins && ends ? Range{} : part, engineMapping, machine);
    return entry->second;
  }

  const DeviceOp &deviceOp;
  const std::vector<DeviceTensor> &tensors;
  const Machine &machine;
  bool isStored;
  Box share; // the part of the result that the busiest tile computes
  int64_t depth;
  Sharing sharing;
  // For each size of a step, the cycles to compute it with the mapping to the engines that is tried at
  // present.
  std::map<std::array<int64_t, 5>, uint64_t> computed;
  std::vector<uint64_t> starts; // the cycle at which each simulated step starts
};

} // namespace

std::vector<Range> depthsOf(int64_t depth, int64_t parts) {
  if (parts == 1)
    return {};
  constexpr int64_t wholePanels = 32;
  return cutRange({0, depth}, parts, wholePanels);
}

std::vector<Range> depthsOf(const ProductSteps &steps, int64_t depth) {
  std::vector<Range> parts = depthsOf(depth, steps.depthParts);
  constexpr int64_t least = 32;
  for (int64_t times = steps.depthHalvings; times > 0 && !parts.empty(); --times) {
    const Range first = parts.front();
    if (first.size() < 2 * least)
      break;
    const int64_t middle = first.begin + (first.size() / 2 + least - 1) / least * least;
    parts.front().begin = middle;
    parts.insert(parts.begin(), {first.begin, middle});
  }
  return parts;
}

std::vector<Box> boxesOf(const ProductSteps &steps, const Box &share, const DeviceOp &deviceOp) {
  std::vector<int64_t> cuts(share.rank(), 1);
  cuts[steps.axis] = steps.parts;
  std::vector<Box> boxes = stepsOf(share, cuts, deviceOp);
  halveLast(boxes, steps.axis, steps.halvings);
  return boxes;
}

std::optional<ProductOutlook> chooseSteps(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                                          const std::vector<Box> &shares,
                                          std::span<const EngineMapping> engineMappings, bool isStored,
                                          const Machine &machine) {
  Outlook outlook(deviceOp, tensors, shares, isStored, machine);
  outlook.tryAll(engineMappings);
  return outlook.best;
}

uint64_t cyclesOfPart(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors, const Box &box,
                      Range depth, const EngineMapping &engineMapping, const Machine &machine) {
  const auto dense = [](ElementType type, const Box &of) { return View{.box = of, .type = type}; };
  StepPlaces places{.result = box,
                    .to = dense(tensors[deviceOp.result].type, box),
                    .engineMapping = engineMapping,
                    .depth = depth,
                    .sums = dense(sumTypeOf(deviceOp, tensors), box)};
  for (const Operand &operand : deviceOp.operands) {
    const DeviceTensor &tensor = tensors[operand.tensor];
    places.from.push_back(dense(tensor.type, neededBox(operand, tensor, box, depth)));
    places.isInPlace.push_back(false);
  }
  uint64_t cycles = 0;
  for (const Instruction &instruction : instructionsOf(deviceOp, tensors, places))
    cycles += latencyCycles(instruction, machine, 0);
  return cycles;
}

uint64_t bytesAtBusiestPort(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                            const std::vector<Box> &shares, const Machine &machine) {
  const Box &largest = *std::ranges::max_element(shares, {}, &Box::elements);
  std::array<uint64_t, numFactors> bytes = {};
  for (size_t factor = 0; factor < numFactors; ++factor) {
    const Operand &operand = deviceOp.operands[factor];
    bytes[factor] = bytesInRuns(tensors[operand.tensor], neededBox(operand, tensors[operand.tensor], largest),
                                machine.ddr.granuleBytes);
  }
  return bytesAtBusiestPort(sharingOf(deviceOp, tensors, shares, machine), bytes, machine);
}

} // namespace tilerig::compiler
