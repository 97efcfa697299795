// Why a stage does not come to an end: who waits for whom.
#pragma once

#include "isa/Analyser/Order.h"
#include "isa/Analyser/Report.h"

namespace tilerig {

// Every stuck thread lacks one thing, mostly the end of a step of another stuck thread. Following that leads
// into a circle or to a step that nothing will satisfy: one problem for each of these.
void reportDeadlocks(const Program &program, const StageThreads &stage, const Order &order, Report &report);

} // namespace tilerig
