// Timing of DMA transfers: their latency and duration, and the shared resources that they use.
//
// A transfer has two phases. The read phase waits for the source's latency and then streams in its bytes. The
// write phase begins as soon as the first bytes have arrived, waits for the destination's latency, and
// streams them out. It does not end before the read phase. So, without contention,
//
//   cycles = max(read phase, latency of the source + write phase)
//
//   own OCM    no latency; bytes in whole accesses, at the tile port's 64 B per cycle
//   remote     (OCM of another tile) latency of the hops; bytes as for the own OCM, but at no more than the
//              rate of a link
//   DDR        latency of 120 cycles and of the hops to the port of the tile's row; whole granules at the
//              port's 64 B per cycle, and at no more than the total rate of DDR
//   multicast  latency of the hops to the farthest receiver; limited by the slowest resource on the route
//
// Type conversion in the engine costs nothing: the network carries the type that a DMA-in reads, or that a
// DMA-out writes.
//
// DDR, its ports and the links are shared. A phase lists the shared resources it uses and the bytes it sends
// through each, so that the timing simulation (isa/Timeline) can grant the resources in chunks.
#pragma once

#include "isa/Instructions/Dma.h"
#include "isa/Machine/Machine.h"
#include "isa/Machine/Topology.h"

namespace tilerig {

struct TransferPhase {
  uint64_t latencyCycles = 0; // cycles until the first byte of the phase has passed
  uint64_t streamCycles = 0;  // cycles from the first byte of the phase until the last one has passed

  // Bytes that the phase moves in an on-chip memory, in whole accesses; of a multicast, at each receiver.
  uint64_t ocmBytes = 0;
  // Bytes that the phase moves in DDR, in whole granules: through DDR as a whole and through each of the
  // ports.
  uint64_t ddrBytes = 0;
  uint64_t networkBytes = 0; // bytes of the phase that each of the links carries
  uint32_t ddrPorts = 0;     // set of DDR ports that the phase uses: bit p stands for port p
  Links links;

  uint64_t cycles() const { return latencyCycles + streamCycles; }
};

struct Transfer {
  TransferPhase read, write;
  unsigned receivers = 1;

  uint64_t cycles() const;
};

// The read and write phase of a transfer instruction that `tile` executes.
Transfer transferOf(DmaInstructions::Reference instruction, const Machine &machine, unsigned tile);
template <OneOf<DmaInstructions> T>
Transfer transferOf(const T &instruction, const Machine &machine, unsigned tile) {
  return transferOf(DmaInstructions::Reference(&instruction), machine, tile);
}

// The number of chunks in which a transfer phase is granted its shared resources; 0 if it uses none.
uint64_t chunksOf(const TransferPhase &phase, const Network &network);
// The size of chunk number `index` of a transfer phase when its `bytes` are split evenly into `chunks`; if
// there is a remainder, the first chunks are one byte larger.
constexpr uint64_t bytesOfChunk(uint64_t bytes, uint64_t index, uint64_t chunks) {
  return bytes / chunks + (index < bytes % chunks);
}

// Cycles to move the given number of bytes through DDR and a single DDR port.
uint64_t ddrCycles(uint64_t bytes, const Ddr &ddr);

} // namespace tilerig
