// The tasks of a network that was split by hand (tests/benchmarks/SplitNetwork.h): its instructions without
// any synchronisation, in an order that is right.
#pragma once

#include "compiler/Schedule/Task.h"
#include "isa/Instructions/Region.h"
#include "isa/Program/Program.h"

namespace tilerig::test {

// Of a program of one device stage whose barriers are all global: what stands between two of them comes tile
// by tile.
TaskList tasksOf(const Program &program, bool markers = false);
std::vector<ByteRange> constantsOf(const Program &program);

} // namespace tilerig::test
