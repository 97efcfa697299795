// What tells an explanation from chance: of the wrong elements in some channel, block of channels, row,
// column or tile it explains most.
#pragma once

#include "verify/Evidence/Explanations.h"
#include "verify/Evidence/Place.h"

namespace tilerig::verify {

// Of each explanation, elements remain explained that lie in such a group.
void confirm(std::vector<Explanation> &explanations, const WrongElements &wrong, const Place &place,
             const Circumstances &known);

} // namespace tilerig::verify
