// Defects of synchronisation and transfers, put into the program and its stages before time begins.
#pragma once

#include "emulator/Defects/Defects.h"
#include "emulator/Timed/Costs.h"

namespace tilerig {

// Refuses what the machine or program does not have: a tile, a transfer, a receiver, an address. `place` is
// that of each defect for messages, by list and index, such as "faults[2]".
Status checkDefects(const Defects &defects, const Program &program);

// Sends transfers where they should not go.
void misroute(const Defects &defects, Program &program);
// Takes lost signals out of a stage that has been laid out and not matched yet.
void loseSignals(const Defects &defects, const Program &program, StageThreads &threads);
// Lengthens the reading of delayed transfers.
void delayTransfers(const Defects &defects, const Program &program, StageCosts &costs);

} // namespace tilerig
