#include "isa/Timeline/SharedWays.h"

#include <algorithm>
#include <bit>

namespace tilerig {

uint64_t SharedWays::freeAt(const TransferPhase &phase) const {
  uint64_t tick = phase.ddrPorts != 0 ? ddr : 0;
  for (uint32_t rest = phase.ddrPorts; rest != 0; rest &= rest - 1)
    tick = std::max(tick, ports[static_cast<size_t>(std::countr_zero(rest))]);
  for (const Link &link : phase.links)
    tick = std::max(tick, links[link.id()]);
  return tick;
}

void SharedWays::occupy(const TransferPhase &phase, uint64_t chunks, uint64_t tick) {
  // Each chunk of a transfer phase takes an equal part of the time. The part is rounded down, so that every
  // resource is free again when the phase requests its next chunk.
  const uint64_t ddrTicks = phase.ddrBytes * ticksPerCycle, linkTicks = phase.networkBytes * ticksPerCycle;
  if (phase.ddrPorts != 0)
    ddr = tick + ddrTicks * 1000 / machine.ddr.totalBytesPer1000Cycles / chunks;
  for (uint32_t rest = phase.ddrPorts; rest != 0; rest &= rest - 1)
    ports[static_cast<size_t>(std::countr_zero(rest))] =
        tick + ddrTicks / machine.ddr.portBytesPerCycle / chunks;
  for (const Link &link : phase.links)
    links[link.id()] = tick + linkTicks / machine.network.linkBytesPerCycle / chunks;
}

} // namespace tilerig
