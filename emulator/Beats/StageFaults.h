// Synchronisation faults of a stage at run time: a deadlock, or semaphore counts that are left over at its
// end.
#pragma once

#include "emulator/Traps/Fault.h"
#include "isa/Order/Report.h"
#include "isa/Timeline/Timeline.h"

namespace tilerig::emulator {

// Faults at the end of the timeline. For a stage that gets stuck, they state which instruction waits for
// which other instruction, and the cause: a wait that no signal satisfies, a barrier that a tile never
// reaches, or a cycle of waits. In `threads`, every wait is matched to its signal and every barrier to its arrivals;
// `problems` are those that the analyser found while it matched them.
std::vector<Fault> stageFaults(const Program &program, const StageThreads &threads,
                               const std::vector<Problem> &problems, const Timeline &timeline);
bool isStuck(const StageThreads &threads, const Timeline &timeline);

} // namespace tilerig::emulator
