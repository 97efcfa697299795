// Cycles of a program on the emulator's clock, for tests of plans.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

uint64_t emulatedCycles(const Program &program);

} // namespace tilerig
