// Headline and terminal text of `tilerig classify`, made from its records of tensors.
//
// Two systems differ even without a bug, so a tensor that differs need not be wrong. A tensor is considered
// wrong if its verdict names a class of bugs or an unknown bug.
#pragma once

#include "isa/Base/Support/Json.h"

#include <string>

namespace tilerig::verify {

// The headline: the verdict on one tensor, with the field "layer" for the tensor's layer or, if that is
// unknown, its name. The tensor is the first that is considered wrong. If there is none, it is the first with
// "cannot say", with a difference but no bug, or on one side only, in this order. Null if all tensors match.
Json headlineOf(const Json &layers);

// A table of the tensors that are considered wrong or, if there are none, of those with "cannot say"; with
// `all`, of every tensor. The number of tensors of each kind follows, then the headline and its reasons.
std::string classifyText(const Json &layers, bool all);

} // namespace tilerig::verify
