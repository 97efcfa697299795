// Headline and terminal text of `tilerig classify`, made from its records of tensors.
//
// Two systems differ even without a bug, so a tensor that differs need not be wrong. A tensor is considered
// wrong if its verdict names a class of bugs or an unknown bug.
#pragma once

#include "isa/Base/Support/Json.h"

#include <string>

namespace tilerig::verify {

// The headline: the verdict on one tensor. Its field "layer" names the tensor's layer or, if that is unknown,
// the tensor. The tensor is the first that is considered wrong. If no tensor is wrong, it is the first for
// which the verdict is "cannot say"; else the first that differs without a bug; else the first that only one
// side has. Null if all tensors match.
Json headlineOf(const Json &layers);

// A table of tensors: of those that are considered wrong or, if there are none, of those with "cannot say".
// With `all`, the table has every tensor. Below it are the number of tensors of each kind, the headline and
// its reasons.
std::string classifyText(const Json &layers, bool all);

} // namespace tilerig::verify
