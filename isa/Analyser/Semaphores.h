// Which signal each wait waits for, and what is wrong with a stage's semaphores whatever the order.
//
// A semaphore only grows, and with one producer it grows in one order. So a wait for v is satisfied by one
// certain signal: the first that brings the running sum to v. Several producers of one semaphore are a
// problem, and the stage is analysed all the same: such a wait is ordered after a signal of producer P only
// if the signals of all others together cannot do without it.
#pragma once

#include "isa/Analyser/Report.h"
#include "isa/Analyser/Threads.h"

namespace tilerig {

void matchSemaphores(const Program &program, StageThreads &stage, Report &report);

} // namespace tilerig
