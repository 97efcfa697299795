// Bounds the error that 16-bit constants may cause. If a model has such constants, the compiler folds
// normalisations into weights, and scales into one another, and rounds each folded constant once more to its
// 16-bit type.
#pragma once

#include "verify/Check/FloatForms.h"

namespace tilerig::verify {

// Upper bound of each element's error in `tensor` if each 16-bit weight and bias is off by half a step: the
// sum of products that lies between the `operands` and the tensor, computed with the magnitudes of the
// inputs, and with the half steps in place of the constants. Constants of other types count as exact. Empty
// if there is no such sum, if its weights are not constant, or if a later operator may magnify errors.
Result<std::optional<Tensor>> constantRoundings(const FloatForms &forms, const std::string &tensor,
                                                const Operands &operands);

} // namespace tilerig::verify
