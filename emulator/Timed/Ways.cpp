#include "emulator/Timed/Ways.h"

#include <algorithm>

namespace tilerig {

Ways::Grant Ways::grant(const TransferPhase &phase, uint64_t index, uint64_t chunks, uint64_t cycle) {
  constexpr uint64_t ticks = 1000; // to a cycle
  const uint64_t ddrBytes = bytesOfChunk(phase.ddrBytes, index, chunks);
  const uint64_t networkBytes = bytesOfChunk(phase.networkBytes, index, chunks);
  const auto usesPort = [&](unsigned port) { return phase.ddrPorts >> port & 1; };
  uint64_t begin = cycle * ticks;
  if (phase.ddrPorts != 0)
    begin = std::max(begin, ddr);
  for (unsigned port = 0; port < ports.size(); ++port)
    if (usesPort(port))
      begin = std::max(begin, ports[port]);
  for (const Link &link : phase.links)
    begin = std::max(begin, links[link.id()]);

  uint64_t end = begin;
  const auto occupy = [&](uint64_t &way, uint64_t duration) {
    way = begin + duration;
    end = std::max(end, way);
  };
  if (phase.ddrPorts != 0)
    occupy(ddr, ddrBytes * ticks * 1000 / machine.ddr.totalBytesPer1000Cycles);
  for (unsigned port = 0; port < ports.size(); ++port)
    if (usesPort(port))
      occupy(ports[port], ddrBytes * ticks / machine.ddr.portBytesPerCycle);
  for (const Link &link : phase.links)
    occupy(links[link.id()], networkBytes * ticks / machine.network.linkBytesPerCycle);
  return {begin / ticks, (end + ticks - 1) / ticks};
}

} // namespace tilerig
