// Matches the barriers of a stage: the n-th barrier of a group in one tile's program meets the n-th barrier
// of the same group in the program of every other member of the group. If members have different numbers of
// barriers, the surplus ones never complete, which is reported.
#pragma once

#include "isa/Order/Report.h"
#include "isa/Order/Threads.h"

namespace tilerig {

void matchBarriers(const Program &program, StageThreads &stage, Report &report);

} // namespace tilerig
