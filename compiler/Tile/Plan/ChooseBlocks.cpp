#include "compiler/Tile/Plan/ChooseBlocks.h"

#include "compiler/Planning/Cost/Movement.h"
#include "compiler/Tile/Plan/Foresee.h"
#include "compiler/Tile/Plan/OpCycles.h"

namespace tilerig::compiler {

namespace {

const DeviceOp &blockOp(const DeviceNetwork &network, size_t step) {
  return std::get<DeviceOp>(network.steps[step]);
}

// Cycles that a tile takes to compute one band (a few rows) through all operations of a fusion block. `last`
// is the band as a box of the last operation's result.
uint64_t cyclesOfBand(const DeviceNetwork &network, const Machine &machine, const FusionBlock &block,
                      const Box &last, const std::vector<EngineMapping> &engineMappings) {
  if (last.empty())
    return 0;
  const TensorViews none(network.tensors.size());
  const std::vector<Box> boxes = boxesOfBand(network, block, last);
  uint64_t cycles = 0;
  for (size_t i = 0; i < boxes.size(); ++i)
    cycles += computeCycles(blockOp(network, block.first + i), network.tensors, none, boxes[i],
                            engineMappings[i], machine);
  return cycles;
}

// Two tiles' shares of the result that stand for all shares: the share of the first tile, and that of a
// middle tile, which has neighbours on all sides.
std::vector<Box> typicalShares(const Split &split, const DeviceOp &deviceOp,
                               const std::vector<int64_t> &shape) {
  const auto tiles = static_cast<unsigned>(split.tiles());
  const std::vector<Box> all = boxesOf(split, deviceOp, shape, tiles);
  return {all.front(), all[all.size() / 2]};
}

std::optional<Split> bestSplit(const DeviceNetwork &network, const Machine &machine, unsigned tiles,
                               const FusionBlock &block, const std::vector<EngineMapping> &engineMappings) {
  const DeviceOp &deviceOp = blockOp(network, block.last);
  const std::vector<int64_t> &shape = network.tensors[deviceOp.result].shape;
  std::optional<Split> best;
  uint64_t least = UINT64_MAX;
  for (const Split &split : possibleSplits(deviceOp, shape, tiles)) {
    if (deviceOp.outputAxis && split.parts[*deviceOp.outputAxis] > 1)
      // if the result is split by channels, every tile would compute all earlier operations of the fusion
      // block
      continue;
    uint64_t most = 0;
    bool canMake = true;
    for (const Box &share : typicalShares(split, deviceOp, shape))
      if ((canMake &= share.empty() || isBandComputable(network, block, share)))
        most = std::max(most, cyclesOfBand(network, machine, block, share, engineMappings));
    if (canMake && most < least) {
      least = most;
      best = split;
    }
  }
  return best;
}

class BlockChooser {
public:
  BlockChooser(const DeviceNetwork &network, const Machine &machine, const TilePlan &plan,
               std::span<const Hints> hints)
      : network(network), machine(machine), plan(plan), hints(hints), movement(machine, plan.tiles) {}

  // Dynamic programming over the network's steps, from the last to the first: finds the disjoint fusion
  // blocks that together save most cycles.
  std::vector<FusionBlock> choose() const {
    const size_t count = network.steps.size();
    std::vector<uint64_t> saved(count + 1);
    std::vector<std::optional<FusionBlock>> blockAt(count);
    for (size_t first = count; first-- > 0;) {
      saved[first] = saved[first + 1];
      if (!leavesOcm(first) || isCutAsWanted(first))
        continue;
      for (size_t last = first + 1; last < std::min(count, first + longest); ++last) {
        const FusionBlock block{first, last};
        if (isCutAsWanted(last))
          break;
        const auto its = whyNoBlock(network, block) ? std::nullopt : savedBy(block);
        if (its && its->cycles + saved[last + 1] > saved[first]) {
          saved[first] = its->cycles + saved[last + 1];
          blockAt[first] = {first, last, 2 * its->bands};
        }
      }
    }
    std::vector<FusionBlock> blocks;
    for (size_t step = 0; step < count; ++step)
      if (blockAt[step]) {
        blocks.push_back(*blockAt[step]);
        step = blockAt[step]->last;
      }
    return blocks;
  }

private:
  static constexpr size_t longest = 24; // largest number of operations in a fusion block

  const TensorPlace &resultOf(size_t step) const { return plan.places[blockOp(network, step).result]; }
  bool leavesOcm(size_t step) const {
    return std::holds_alternative<DeviceOp>(network.steps[step]) && !resultOf(step).inOcm;
  }

  bool isCutAsWanted(size_t step) const {
    const uint32_t layer =
        std::visit([](const auto &typedStep) { return typedStep.layer; }, network.steps[step]);
    return !hints.empty() && hints[layer].saysHowToCut();
  }

  struct Saving {
    uint64_t cycles = 0;
    int64_t bands = 0; // per tile
  };

  std::optional<Saving> savedBy(const FusionBlock &block) const {
    std::vector<EngineMapping> engineMappings;
    uint64_t cycles = 0, bytes = 0;
    for (size_t i = block.first; i <= block.last; ++i) {
      engineMappings.push_back(plan.deviceOps[i].engineMapping);
      cycles += plan.deviceOps[i].chosenCycles;
      bytes += bytesOfDdr(blockOp(network, i), plan.deviceOps[i], network, plan, machine);
    }
    const auto split = bestSplit(network, machine, plan.tiles, block, engineMappings);
    const auto bands = split ? bandsOf(block, *split) : std::nullopt;
    if (!bands)
      return std::nullopt;
    uint64_t computed = 0;
    for (const Box &band : *bands)
      computed += cyclesOfBand(network, machine, block, band, engineMappings);
    const uint64_t before = std::max(cycles, movement.ddrCycles(bytes)),
                   after = std::max(computed, movement.ddrCycles(bytesThrough(block, *split, *bands)));
    if (after >= before)
      return std::nullopt;
    return Saving{before - after, static_cast<int64_t>(bands->size())};
  }

  // Into which bands (groups of rows) a tile with neighbours on all sides divides its share: as few as
  // possible so that each band fits the OCM (on-chip memory); nullopt if no number of bands does.
  std::optional<std::vector<Box>> bandsOf(const FusionBlock &block, const Split &split) const {
    const DeviceOp &deviceOp = blockOp(network, block.last);
    const std::vector<int64_t> &shape = network.tensors[deviceOp.result].shape;
    const Box share = typicalShares(split, deviceOp, shape).back();
    std::vector<int64_t> cuts(shape.size(), 1);
    for (size_t axis = 0; axis < cuts.size();) {
      std::vector<Box> bands = stepsOf(share, cuts, deviceOp);
      if (std::ranges::all_of(bands, [&](const Box &band) { return fits(block, band); }))
        return bands;
      if (cuts[axis] == share[axis].size() || !deviceOp.divisible[axis] || axis == deviceOp.outputAxis)
        ++axis;
      else
        cuts[axis] = std::min(2 * cuts[axis], share[axis].size());
    }
    return std::nullopt;
  }

  // Whether a band fits three quarters of an OCM, together with the constants and with double buffers for
  // everything that is loaded for each band. The last quarter is reserved for tensors that wait for later
  // steps. `last` is the band as a box of the last operation's result.
  bool fits(const FusionBlock &block, const Box &last) const {
    const std::vector<Box> boxes = boxesOfBand(network, block, last);
    uint64_t bytes = 0;
    for (size_t i = 0; i < boxes.size(); ++i) {
      const DeviceOp &deviceOp = blockOp(network, block.first + i);
      if (boxes[i].empty() || !isComputable(deviceOp, network.tensors, boxes[i]))
        return false;
      bytes += boxes[i].elements() * sizeBytes(network.tensors[deviceOp.result].type);
      for (const Operand &operand : deviceOp.operands)
        if (const DeviceTensor &tensor = network.tensors[operand.tensor]; !isMadeIn(block, operand.tensor))
          bytes += (tensor.constant() ? 1 : 2) * neededBox(operand, tensor, boxes[i]).elements() *
                   sizeBytes(tensor.type);
    }
    return bytes <= machine.tile.ocmBytes / 4 * 3;
  }

  bool isMadeIn(const FusionBlock &block, TensorIndex tensor) const {
    for (size_t i = block.first; i <= block.last; ++i)
      if (blockOp(network, i).result == tensor)
        return true;
    return false;
  }

  // Bytes that are moved from or to DDR if the fusion block is formed. These are constants, the last result
  // if it goes to DDR, and operands from outside the block, of which a row that several bands read counts for
  // each of them.
  uint64_t bytesThrough(const FusionBlock &block, const Split &split, const std::vector<Box> &bands) const {
    const auto tiles = static_cast<uint64_t>(split.tiles());
    uint64_t bytes = 0;
    for (size_t i = block.first; i <= block.last; ++i)
      for (const Operand &operand : blockOp(network, i).operands) {
        const DeviceTensor &tensor = network.tensors[operand.tensor];
        if (tensor.constant())
          bytes += tensor.sizeInBytes();
        else if (!isMadeIn(block, operand.tensor) && !plan.places[operand.tensor].inOcm)
          for (const Box &band : bands)
            bytes +=
                tiles *
                neededBox(operand, tensor, boxesOfBand(network, block, band)[i - block.first]).elements() *
                sizeBytes(tensor.type);
      }
    return bytes + (resultOf(block.last).inDdr
                        ? network.tensors[blockOp(network, block.last).result].sizeInBytes()
                        : 0);
  }

  const DeviceNetwork &network;
  const Machine &machine;
  const TilePlan &plan;
  const std::span<const Hints> hints;
  const MovementCosts movement;
};

} // namespace

std::vector<FusionBlock> chooseBlocks(const DeviceNetwork &network, const Machine &machine,
                                      const TilePlan &plan, std::span<const Hints> hints) {
  return BlockChooser(network, machine, plan, hints).choose();
}

Choices choicesWithBlocks(const DeviceNetwork &network, const Machine &machine, unsigned tiles,
                          const std::vector<FusionBlock> &blocks, std::span<const Hints> hints,
                          Choices choices) {
  for (const FusionBlock &block : blocks) {
    std::vector<EngineMapping> engineMappings;
    for (size_t i = block.first; i <= block.last; ++i) {
      choices[i].product.reset();
      choices[i].cuts.clear();
      choices[i].split.chain = 1;
      choices[i].split.band = 0;
      engineMappings.push_back(choices[i].engineMapping);
    }
    const bool isAsWanted = !hints.empty() && hints[blockOp(network, block.last).layer].saysHowToCut();
    if (auto split = bestSplit(network, machine, tiles, block, engineMappings); split && !isAsWanted)
      choices[block.last].split = std::move(*split);
    // All other operations of a fusion block get the split of the last one, because a tile computes them for
    // its own share of the last result.
    for (size_t i = block.first; i < block.last; ++i)
      if (choices[i].split.parts.size() == choices[block.last].split.parts.size())
        choices[i].split = choices[block.last].split;
  }
  return choices;
}

uint64_t cyclesOfBlock(const DeviceNetwork &network, const Machine &machine, const TilePlan &plan,
                       const FusionBlock &block) {
  std::vector<EngineMapping> engineMappings;
  for (size_t i = block.first; i <= block.last; ++i)
    engineMappings.push_back(plan.deviceOps[i].engineMapping);
  uint64_t most = 0;
  for (const std::vector<Box> &bands : plan.deviceOps[block.last].steps) {
    uint64_t cycles = 0;
    for (const Box &band : bands)
      cycles += cyclesOfBand(network, machine, block, band, engineMappings);
    most = std::max(most, cycles);
  }
  return most;
}

} // namespace tilerig::compiler
