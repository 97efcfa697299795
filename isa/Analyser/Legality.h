// Checks that a program is well-formed before its order is analysed: every instruction is legal, every tile's
// program has one halt and ends with it, and the metadata fit the program.
#pragma once

#include "isa/Order/Report.h"

namespace tilerig {

// Checks whether a program is well-formed; returns false if a problem was found and reported.
bool checkLegality(const Program &program, Report &report);

} // namespace tilerig
