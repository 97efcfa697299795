// Tests whether two instructions of an engine are in the wrong order, by swapping them and analysing
// the program for races again.
#pragma once

#include "verify/Check/Finding.h"

namespace tilerig::verify {

// Whether the analyser proves the program free of races after one instruction named by the findings is
// swapped with a neighbour in the same engine. Tries the most frequently named instructions first, and at
// most 8 swaps.
bool isMendedBySwap(const Program &program, const std::vector<Finding> &findings);

} // namespace tilerig::verify
