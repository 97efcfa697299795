// Explains a deadlock: why a stage does not terminate, as a chain or cycle of threads that wait for each
// other.
#pragma once

#include "isa/Analyser/Order.h"
#include "isa/Order/Report.h"

namespace tilerig {

// Every stuck thread waits for one thing, mostly the end of a step of another stuck thread. Following these
// dependences leads into a cycle or to a wait that nothing satisfies; every such cycle or wait is reported as
// one problem.
void reportDeadlocks(const Program &program, const StageThreads &stage, const Order &order, Report &report);

} // namespace tilerig
