// What `tilerig classify` makes of its records of tensors: the headline, and the text for a terminal.
//
// Two systems differ without a bug, so a tensor that differs need not be wrong. It is held to be wrong where
// its verdict names a class of bugs or says that the bug is an unknown one.
#pragma once

#include "verify/Inputs/StrictJson.h"

#include <string>

namespace tilerig::verify {

// The verdict on the first tensor that is held to be wrong, with "layer", its layer or name. Where there is
// none, that on the first tensor about which nothing can be said; else on the first that differs without a
// bug; else on the first that one side lacks. Null where all match.
Json headlineOf(const Json &layers);

// A row for each tensor that is held to be wrong, or, where there is none, about which nothing can be said;
// with `all` for every tensor. Then how many there are of each kind, the headline and what speaks for it.
std::string classifyText(const Json &layers, bool all);

} // namespace tilerig::verify
