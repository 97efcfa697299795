// Defects of synchronisation and transfers, put into the program and its stages before time begins. The
// defects have passed checkDefects.
#pragma once

#include "emulator/Defects/Defects.h"
#include "isa/Timeline/Costs.h"

namespace tilerig {

// Sends transfers where they should not go.
void misroute(const Defects &defects, Program &program);
// Takes lost signals out of a stage that has been laid out and not matched yet.
void loseSignals(const Defects &defects, const Program &program, StageThreads &threads);
// Lengthens the reading of delayed transfers.
void delayTransfers(const Defects &defects, const Program &program, StageCosts &costs);

} // namespace tilerig
