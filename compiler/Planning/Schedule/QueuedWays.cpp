#include "compiler/Planning/Schedule/QueuedWays.h"

#include <bit>

namespace tilerig::compiler {

uint64_t QueuedWays::pass(const TransferPhase &phase, uint64_t firstCycle) {
  const uint64_t first = firstCycle * ticksPerCycle;
  uint64_t last = first + phase.streamCycles * ticksPerCycle;
  const uint64_t ddrTicks = phase.ddrBytes * ticksPerCycle, linkTicks = phase.networkBytes * ticksPerCycle;
  if (phase.ddrPorts != 0)
    last = std::max(last, queue(ddr, first, ddrTicks * 1000 / machine.ddr.totalBytesPer1000Cycles));
  for (uint32_t rest = phase.ddrPorts; rest != 0; rest &= rest - 1)
    last = std::max(last, queue(ports[static_cast<size_t>(std::countr_zero(rest))], first,
                                ddrTicks / machine.ddr.portBytesPerCycle));
  for (const Link &link : phase.links)
    last = std::max(last, queue(links[link.id()], first, linkTicks / machine.network.linkBytesPerCycle));
  return (last + ticksPerCycle - 1) / ticksPerCycle;
}

} // namespace tilerig::compiler
