// How many cycles an instruction takes from start to finish when nothing is in its way.
//
// Compiler and emulator ask here and nowhere else. The answer depends on the instruction, the machine and,
// where the network is crossed, the tile that runs it; never on data, time or what else is running. What
// competes for DDR and links is the business of whoever keeps the clock; Dma.h says what a transfer asks of
// them, and Pod.h and Pe.h which part of an instruction is the slowest.
//
// Instructions must have passed the checker: tiles that do not exist have no distance.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Topology.h"

namespace tilerig {

uint64_t latencyCycles(const Instruction &instruction, const Machine &machine, unsigned tile);

// A signal costs its way to the semaphore, a barrier the way to where its group meets. A wait costs nothing
// once it is satisfied, a delay what it says unless the loader says otherwise.
uint64_t signalCycles(const Machine &machine, unsigned fromTile, unsigned toTile);
uint64_t groupBarrierCycles(const Machine &machine, TileSet group);

} // namespace tilerig
