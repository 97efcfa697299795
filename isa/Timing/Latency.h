// The latency of every instruction: cycles from start to finish without contention.
//
// The compiler and the emulator both use these functions. A latency depends on the instruction, on the
// machine and, where the network is crossed, on the tile; never on data, time or other instructions in
// flight. Contention for DDR and links is modelled by the timing simulation (isa/Timeline); Dma.h states the
// demands of a transfer, and Pod.h and Pe.h the parts of an instruction that may limit its speed.
//
// Instructions must have passed the checker, because distances exist only between tiles that exist.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Topology.h"

namespace tilerig {

uint64_t latencyCycles(const Instruction &instruction, const Machine &machine, unsigned tile);

// Latency of a signal to the semaphore of another tile, and of a barrier to the router that collects the
// arrivals of its group. A satisfied wait takes no time; a delay takes its stated cycles unless the loader
// overrides them.
uint64_t signalCycles(const Machine &machine, unsigned fromTile, unsigned toTile);
uint64_t groupBarrierCycles(const Machine &machine, TileSet group);

} // namespace tilerig
