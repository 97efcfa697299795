#include "compiler/Tiling/Foresee.h"

namespace tilerig {

namespace {

// What DDR gives for a stage: parts that several tiles have, once.
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
  uint32_t turn = UINT32_MAX; // from which on DDR may begin with it
};

ForeseenTraffic trafficOf(const Work &work, const WorkPlan &its, const DeviceNetwork &network,
                          const TilePlan &plan, const Machine &machine) {
  ForeseenTraffic traffic{.turn = its.firstTurn};
  for (size_t operand = 0; operand < its.stages.size(); ++operand)
    for (const Staging &stage : its.stages[operand]) {
      if (its.isPinned && network.tensors[work.operands[operand].tensor].constant())
        continue;
      traffic.bytes += bytesOf(stage, network.tensors[work.operands[operand].tensor], machine);
      traffic.turn = std::min(traffic.turn, plan.memory.buffers[stage.buffer].from);
    }
  if (plan.places[work.result].inDdr)
    for (unsigned tile = 0; tile < its.steps.size(); ++tile)
      for (uint32_t step = 0; step < its.steps[tile].size(); ++step)
        if (its.works(tile, step) && its.endsSum(tile, step))
          traffic.bytes +=
              bytesInRuns(network.tensors[work.result], its.steps[tile][step], machine.ddr.granuleBytes);
  return traffic;
}

} // namespace

uint64_t foreseenCycles(const DeviceNetwork &network, const Machine &machine, const TilePlan &plan,
                        const Choices &choices) {
  std::vector<uint64_t> beginOf; // by turn
  uint64_t now = 0, ddrFree = 0;
  for (size_t i = 0; i < network.steps.size(); ++i) {
    const WorkPlan &its = plan.works[i];
    if (const Work *work = std::get_if<Work>(&network.steps[i])) {
      const ForeseenTraffic traffic = trafficOf(*work, its, network, plan, machine);
      const uint64_t room = traffic.turn < beginOf.size() ? beginOf[traffic.turn] : now;
      if (!its.product) {
        ddrFree = std::max(ddrFree, room) + traffic.bytes * 1000 / machine.ddr.totalBytesPer1000Cycles;
        now = std::max(now, ddrFree);
      } else { // its cycles are those of DDR, too
        now = std::max(now, ddrFree);
        ddrFree = now + choices[i].cycles;
      }
    }
    beginOf.resize(its.firstTurn + std::max<uint32_t>(1, its.numSteps), now);
    now += choices[i].cycles;
  }
  return now;
}

} // namespace tilerig
