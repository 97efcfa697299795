// Bounds the error that 16-bit constants may cause. The compiler folds normalisations and scales into such
// constants, and rounds each folded constant once more to its 16-bit type.
#pragma once

#include "verify/Check/FloatForms.h"

namespace tilerig::verify {

// Upper bound of the error of each element of a tensor if each 16-bit weight and bias is off by half a step.
// To compute the bound, the layer's sum of products is evaluated with the magnitudes of the inputs, and with
// half a step in place of each weight and bias. Empty if the layer sums no products, if its weights are not
// constant, or if a later operator may magnify errors.
Result<std::optional<Tensor>> constantRoundings(const FloatForms &forms, const std::string &tensor,
                                                const Operands &operands);

} // namespace tilerig::verify
