// What must hold before the order of a program can be thought about: every instruction is legal, every tile
// ends with its only halt, and program and metadata fit together.
#pragma once

#include "isa/Analyser/Report.h"

namespace tilerig {

// False if something was found.
bool checkLegality(const Program &program, Report &report);

} // namespace tilerig
