#include "compiler/Tile/Plan/Foresee.h"

#include "compiler/Planning/Cost/Movement.h"
#include "compiler/Tile/Plan/ChooseBlocks.h"

namespace tilerig::compiler {

namespace {

// Bytes that DDR serves to fill the tiles' buffers for an operand; a box that several tiles hold counts once.
uint64_t bytesOf(const Staging &stage, const DeviceTensor &tensor, const Machine &machine) {
  std::vector<const Box *> parts;
  uint64_t bytes = 0;
  for (const Box &box : stage.boxes)
    if (!box.empty() && std::ranges::none_of(parts, [&](const Box *other) { return *other == box; })) {
      parts.push_back(&box);
      bytes += bytesInRuns(tensor, box, machine.ddr.granuleBytes);
    }
  return bytes;
}

struct ForeseenTraffic {
  uint64_t bytes = 0;
  uint32_t timeStep = UINT32_MAX; // first time step in which the transfers from DDR may begin
};

ForeseenTraffic trafficOf(const DeviceOp &deviceOp, const OpPlan &its, const DeviceNetwork &network,
                          const TilePlan &plan, const Machine &machine) {
  ForeseenTraffic traffic{.timeStep = its.firstTimeStep};
  for (size_t operand = 0; operand < its.stages.size(); ++operand)
    for (const Staging &stage : its.stages[operand]) {
      const TensorIndex tensor = deviceOp.operands[operand].tensor;
      if (stage.isHeld || plan.places[tensor].inBands || (its.isPinned && network.tensors[tensor].constant()))
        continue;
      traffic.bytes += bytesOf(stage, network.tensors[tensor], machine);
      traffic.timeStep = std::min(traffic.timeStep, plan.memory.buffers[stage.buffer].from);
    }
  if (plan.places[deviceOp.result].inDdr)
    for (unsigned tile = 0; tile < its.steps.size(); ++tile)
      for (uint32_t step = 0; step < its.steps[tile].size(); ++step)
        if (its.computes(tile, step) && its.endsSum(tile, step))
          traffic.bytes +=
              bytesInRuns(network.tensors[deviceOp.result], its.steps[tile][step], machine.ddr.granuleBytes);
  return traffic;
}

// One device operation, or all operations of a fusion block. The estimate treats the operations of a block as
// one.
struct ForeseenUnit {
  ForeseenTraffic traffic;
  uint64_t cycles = 0;
  bool hasItsTraffic = false; // whether `cycles` includes the cycles for DDR traffic
  uint32_t behind = 0;        // the time step after the last one of the operation or fusion block
};

ForeseenUnit unitOf(size_t first, size_t last, const DeviceNetwork &network, const Machine &machine,
                    const TilePlan &plan, const Choices &choices) {
  ForeseenUnit unit{.traffic = {.timeStep = plan.deviceOps[first].firstTimeStep}};
  for (size_t i = first; i <= last; ++i) {
    const OpPlan &its = plan.deviceOps[i];
    unit.cycles += choices[i].cycles;
    unit.hasItsTraffic |= its.product.has_value();
    unit.behind = std::max(unit.behind, its.timeStepOf(std::max<uint32_t>(1, its.numSteps) - 1) + 1);
    if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&network.steps[i])) {
      const ForeseenTraffic traffic = trafficOf(*deviceOp, its, network, plan, machine);
      unit.traffic.bytes += traffic.bytes;
      unit.traffic.timeStep = std::min(unit.traffic.timeStep, traffic.timeStep);
    }
  }
  if (first != last)
    unit.cycles = cyclesOfBlock(network, machine, plan, {first, last});
  return unit;
}

} // namespace

uint64_t bytesOfDdr(const DeviceOp &deviceOp, const OpPlan &its, const DeviceNetwork &network,
                    const TilePlan &plan, const Machine &machine) {
  return trafficOf(deviceOp, its, network, plan, machine).bytes;
}

uint64_t foreseenCycles(const DeviceNetwork &network, const Machine &machine, const TilePlan &plan,
                        const Choices &choices) {
  const MovementCosts movement(machine, plan.tiles);
  std::vector<uint64_t> beginOf; // for each time step, the cycle at which it begins
  uint64_t now = 0, ddrFree = 0;
  for (size_t i = 0; i < network.steps.size(); ++i) {
    const FusionBlock *block = plan.blockOf(i);
    const size_t last = block ? block->last : i;
    const ForeseenUnit unit = unitOf(i, last, network, machine, plan, choices);
    if (std::holds_alternative<DeviceOp>(network.steps[i])) {
      const uint64_t earliest = unit.traffic.timeStep < beginOf.size() ? beginOf[unit.traffic.timeStep] : now;
      if (!unit.hasItsTraffic) {
        ddrFree = std::max(ddrFree, earliest) + movement.ddrCycles(unit.traffic.bytes);
        // A fusion block begins as soon as its first band has arrived, so it does not wait for all of its DDR
        // traffic.
        now = block ? now : std::max(now, ddrFree);
      } else {
        now = std::max(now, ddrFree);
        ddrFree = now + unit.cycles;
      }
    }
    beginOf.resize(unit.behind, now);
    now += unit.cycles;
    if (block)
      now = std::max(now, ddrFree);
    i = last;
  }
  return now;
}

} // namespace tilerig::compiler
