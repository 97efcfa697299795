// Tests whether two instructions of an engine are in the wrong order, by swapping them and analysing
// the program for races again.
#pragma once

#include "verify/Findings/Finding.h"

namespace tilerig::verify {

// Whether the program becomes free of races if two neighbouring instructions of an engine are swapped, one of
// which a finding of the analyser names. Tries the most frequently named instructions first, and at most 8
// swaps.
bool isMendedBySwap(const Program &program, const std::vector<Finding> &findings);

} // namespace tilerig::verify
