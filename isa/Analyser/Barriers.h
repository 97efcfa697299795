// Which barriers meet: the n-th barrier of a group in one member's program, with the n-th of the same group
// in every other's. Members that do not agree on how many there are never meet at the last ones.
#pragma once

#include "isa/Analyser/Report.h"
#include "isa/Analyser/Threads.h"

namespace tilerig {

void matchBarriers(const Program &program, StageThreads &stage, Report &report);

} // namespace tilerig
