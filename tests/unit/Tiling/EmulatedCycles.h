// The emulator's clock, for tests of plans. No header of the emulator in here: compiler and emulator each
// have a Box and a View.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

uint64_t emulatedCycles(const Program &program);

} // namespace tilerig
