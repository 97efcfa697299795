// Matches every wait with the signal that satisfies it, and reports misuse of semaphores that does not depend
// on the order of execution.
//
// A semaphore only grows, and with one producer it grows in a fixed order. So a wait for v is satisfied by
// one certain signal: the first one that raises the running sum to v. Several producers of one semaphore are
// reported as a problem, but the stage is analysed nevertheless. A wait is then ordered after a signal only
// if the semaphore cannot reach the value without that signal.
#pragma once

#include "isa/Order/Report.h"
#include "isa/Order/Threads.h"

namespace tilerig {

void matchSemaphores(const Program &program, StageThreads &stage, Report &report);

} // namespace tilerig
