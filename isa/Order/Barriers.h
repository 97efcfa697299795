// Matches the barriers of a stage. The n-th barrier of a group in one tile's program matches the n-th barrier
// of the same group in the programs of the group's other tiles. If the tiles have different numbers of
// barriers, the surplus barriers never complete, and this is reported.
#pragma once

#include "isa/Order/Report.h"
#include "isa/Order/Threads.h"

namespace tilerig {

void matchBarriers(const Program &program, StageThreads &stage, Report &report);

} // namespace tilerig
