// Separates explanations from chance matches: an explanation must account for most of the wrong elements in
// some channel, block of channels, row, column or tile.
#pragma once

#include "verify/Evidence/Explanations.h"
#include "verify/Evidence/Place.h"

namespace tilerig::verify {

// Keeps of each explanation only the matches that lie in a group that it mostly explains.
void confirm(std::vector<Explanation> &explanations, const WrongElements &wrong, const Place &place,
             const Circumstances &known);

} // namespace tilerig::verify
