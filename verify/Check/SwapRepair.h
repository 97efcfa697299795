// Whether two instructions of an engine stand in the wrong order: the counterfactual that puts them right.
#pragma once

#include "verify/Check/Finding.h"

namespace tilerig::verify {

// Whether the analyser has nothing against the program once an instruction of the findings and its neighbour
// in the same engine have changed places. Tries those that most findings name.
bool isMendedBySwap(const Program &program, const std::vector<Finding> &findings);

} // namespace tilerig::verify
