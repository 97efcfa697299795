// The scheduler's task list of a network split by hand (tests/benchmarks/SplitNetwork.h): its instructions
// without any synchronisation, in a correct sequential order.
#pragma once

#include "compiler/Planning/Schedule/Task.h"
#include "isa/Instructions/Region.h"
#include "isa/Program/Program.h"

namespace tilerig::test {
using namespace compiler;

// The tasks of a program of one device stage in which all barriers are global. Between two barriers, the
// instructions are listed tile by tile.
TaskList tasksOf(const Program &program, bool markers = false);
std::vector<ByteRange> constantsOf(const Program &program);

} // namespace tilerig::test
