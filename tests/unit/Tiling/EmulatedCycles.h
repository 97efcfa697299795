// Cycles of a program on the emulator's clock, for tests of plans. This header includes no header of the
// emulator, because compiler and emulator each define a Box and a View.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

uint64_t emulatedCycles(const Program &program);

} // namespace tilerig
