// Separates explanations from chance matches: a hypothesis must explain most of the wrong elements in some
// channel, block of channels, row, column or tile.
#pragma once

#include "verify/Evidence/Explanations.h"
#include "verify/Evidence/Place.h"

namespace tilerig::verify {

// Removes from each explanation the elements that may match by chance: it keeps only elements of those
// channels, blocks of channels, rows, columns or tiles that it mostly explains.
void confirm(std::vector<Explanation> &explanations, const WrongElements &wrong, const Place &place,
             const Circumstances &known);

} // namespace tilerig::verify
