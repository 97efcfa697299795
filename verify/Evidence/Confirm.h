// Separates explanations from chance matches: a hypothesis must explain most of the wrong elements in some
// channel, block of channels, row, column or tile.
#pragma once

#include "verify/Evidence/Explanations.h"
#include "verify/Evidence/Place.h"

namespace tilerig::verify {

// Removes from each explanation the elements that may match by chance. An element is kept if the hypothesis
// explains most wrong elements of its channel, block of channels, row, column or tile.
void confirm(std::vector<Explanation> &explanations, const WrongElements &wrong, const Place &place,
             const Circumstances &known);

} // namespace tilerig::verify
