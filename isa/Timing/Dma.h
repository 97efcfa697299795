// How long transfers take, and which shared ways they go.
//
// A transfer is two phases. The read phase waits for the source's latency and then takes in its bytes; the
// write phase begins as soon as the first of them are there, waits for the destination's latency, and sends
// on. It does not end before the read phase does. So, with nothing in the way,
//
//   cycles = max(read phase, latency of the source + write phase)
//
//   own OCM    no latency; bytes in whole accesses at the tile port's 64 B a cycle
//   remote     the hops; the same bytes, and no faster than a link
//   DDR        120 cycles, and the hops to the port of the tile's row; whole granules at the port's 64 B a
//              cycle, and no faster than DDR altogether
//   multicast  the hops to the farthest receiver; no faster than any way that it takes
//
// Types change in the engine at no cost: the network carries what a DMA-in reads, and what a DMA-out writes.
//
// DDR, its ports and the links are shared. A phase names those it uses and what it sends through each, so
// that whoever keeps the clock can grant them in chunks.
#pragma once

#include "isa/Instructions/Dma.h"
#include "isa/Machine/Machine.h"
#include "isa/Machine/Topology.h"

namespace tilerig {

struct TransferPhase {
  uint64_t latencyCycles = 0; // until the first byte has gone through
  uint64_t streamCycles = 0;  // from then until the last one has

  uint64_t ocmBytes = 0;     // in whole accesses; at each receiver of a multicast
  uint64_t ddrBytes = 0;     // in whole granules: what DDR gives or takes once, and each of the ports carries
  uint64_t networkBytes = 0; // what each of the links carries
  uint32_t ddrPorts = 0;     // bit p: port p
  Links links;

  uint64_t cycles() const { return latencyCycles + streamCycles; }
};

struct Transfer {
  TransferPhase read, write;
  unsigned receivers = 1;

  uint64_t cycles() const;
};

// As `tile` runs them.
Transfer transferOf(const Load &load, const Machine &machine, unsigned tile);
Transfer transferOf(const Store &store, const Machine &machine, unsigned tile);
Transfer transferOf(const Multicast &multicast, const Machine &machine, unsigned tile);
Transfer transferOf(const Gather &gather, const Machine &machine, unsigned tile);

// Chunks that the shared ways of a phase are granted in; 0 where it uses none.
uint64_t chunksOf(const TransferPhase &phase, const Network &network);
// What the chunk of that index has of `bytes`: an even split, the first chunks a byte larger where it does
// not come out.
constexpr uint64_t bytesOfChunk(uint64_t bytes, uint64_t index, uint64_t chunks) {
  return bytes / chunks + (index < bytes % chunks);
}

// Cycles for so many bytes through one DDR port, the only one in use, and through DDR as a whole.
uint64_t ddrCycles(uint64_t bytes, const Ddr &ddr);

} // namespace tilerig
