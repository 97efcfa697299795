// Applies defects of synchronisation and transfers to a program and its stages, before the timeline is
// computed. The defects have passed checkDefects.
#pragma once

#include "emulator/Defects/Defects.h"
#include "isa/Timeline/Costs.h"

namespace tilerig::emulator {

// Changes the destination of every transfer of the program that a defect sends to a wrong tile.
void misroute(const Defects &defects, Program &program);
// Removes lost signals (a kind of defect) from the threads of a stage. Must be called before waits are
// matched with signals.
void loseSignals(const Defects &defects, const Program &program, StageThreads &threads);
// Lengthens the read phase of every transfer that a defect delays.
void delayTransfers(const Defects &defects, const Program &program, StageCosts &costs);

} // namespace tilerig::emulator
