#include "compiler/Tiling/ChooseSplits.h"

#include "compiler/Codegen/Instructions.h"
#include "isa/Timing/Latency.h"

namespace tilerig {

namespace {

// Cycles of the tile that has the most to do, by what its instructions take.
uint64_t computeCycles(const Work &work, const std::vector<DeviceTensor> &tensors, const Box &share,
                       Mapping mapping, const Machine &machine) {
  const auto dense = [&](TensorIndex tensor, const Box &box) {
    return View{.box = box, .type = tensors[tensor].type};
  };
  StepPlaces places{.result = share, .to = dense(work.result, share), .mapping = mapping};
  for (const Operand &operand : work.operands)
    places.from.push_back(dense(operand.tensor, neededBox(operand, tensors[operand.tensor], share)));
  uint64_t cycles = 0;
  for (const Instruction &instruction : instructionsOf(work, tensors, places))
    cycles += latencyCycles(instruction, machine, 0);
  return cycles;
}

class Chooser {
public:
  Chooser(const DeviceNetwork &network, const Machine &machine, unsigned tiles)
      : network(network), machine(machine), tiles(tiles), owned(network.tensors.size()) {}

  Choice choose(const Work &work) {
    const std::vector<int64_t> &shape = network.tensors[work.result].shape;
    static constexpr std::array mappings = {Mapping::lamm, Mapping::samm1, Mapping::samm2};
    const size_t numMappings = work.kind == WorkKind::matmul ? mappings.size() : 1;
    Choice best;
    uint64_t least = UINT64_MAX;
    for (const Split &split : possibleSplits(work, shape, tiles)) {
      const std::vector<Box> boxes = boxesOf(split, work, shape, tiles);
      if (!std::ranges::all_of(boxes, [&](const Box &box) { return isComputable(work, network.tensors, box); }))
        continue;
      for (const Mapping mapping : std::span(mappings).first(numMappings)) {
        const uint64_t cycles = cost(work, boxes, mapping);
        // Of equals, the one on fewer tiles.
        if (cycles < least || (cycles == least && split.tiles() < best.split.tiles())) {
          least = cycles;
          best = {split, mapping};
        }
      }
    }
    owned[work.result] = boxesOf(best.split, work, shape, tiles);
    return best;
  }

private:
  uint64_t cost(const Work &work, const std::vector<Box> &boxes, Mapping mapping) const {
    const Box &largest = *std::ranges::max_element(boxes, {}, &Box::elements);
    uint64_t arriving = 0, constants = 0;
    for (unsigned tile = 0; tile < tiles; ++tile) {
      if (boxes[tile].empty())
        continue;
      uint64_t received = 0, loaded = 0;
      for (const Operand &operand : work.operands) {
        const DeviceTensor &tensor = network.tensors[operand.tensor];
        const Box needed = neededBox(operand, tensor, boxes[tile]);
        const uint64_t bytes = needed.elements() * sizeBytes(tensor.type);
        if (tensor.constant())
          loaded += bytes;
        else if (owned[operand.tensor].empty())
          received += bytes;
        else
          received +=
              bytes - intersection(needed, owned[operand.tensor][tile]).elements() * sizeBytes(tensor.type);
      }
      arriving = std::max(arriving, received);
      constants = std::max(constants, loaded);
    }
    const uint64_t port = machine.network.tilePortBytesPerCycle;
    return std::max(computeCycles(work, network.tensors, largest, mapping, machine) + arriving / port,
                    constants / port);
  }

  const DeviceNetwork &network;
  const Machine &machine;
  unsigned tiles;
  std::vector<std::vector<Box>> owned; // by tensor, of those that were made
};

} // namespace

std::vector<Choice> chooseSplits(const DeviceNetwork &network, const Machine &machine, unsigned tiles) {
  Chooser chooser(network, machine, tiles);
  std::vector<Choice> choices;
  for (const NetworkStep &step : network.steps) {
    const Work *work = std::get_if<Work>(&step);
    choices.push_back(work ? chooser.choose(*work) : Choice{});
  }
  return choices;
}

} // namespace tilerig
