// Headline and terminal text of `tilerig classify`, made from its records of tensors.
//
// Two systems differ even without a bug, so a tensor that differs need not be wrong. A tensor is considered
// wrong if its verdict names a class of bugs or an unknown bug.
#pragma once

#include "isa/Base/Support/Json.h"

#include <string>

namespace tilerig::verify {

// The headline: the verdict on one tensor, with the field "layer" for the tensor's layer or, if that is
// unknown, its name. It is the verdict on the first tensor that is considered wrong; if there is none, on the
// first with "cannot say"; else on the first that differs without a bug; else on the first that only one side
// has. Null if all match.
Json headlineOf(const Json &layers);

// A table with a row for each tensor that is considered wrong or, if there is none, with "cannot say"; with
// `all`, for every tensor. It is followed by the number of tensors of each kind, the headline and its
// reasons.
std::string classifyText(const Json &layers, bool all);

} // namespace tilerig::verify
