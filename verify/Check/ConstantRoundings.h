// Bounds the error that 16-bit constants may cause. The compiler folds normalisations and scales into such
// constants, and rounds each folded constant once more to its 16-bit type.
#pragma once

#include "verify/Check/FloatForms.h"

namespace tilerig::verify {

// Upper bound of each element's error in `tensor` if each 16-bit weight and bias is off by half a step. The
// bound is the sum of products between the `operands` and the tensor, computed with magnitudes of the inputs
// and with half steps as constants. Empty if there is no such sum, if its weights are not constant, or if a
// later operator may magnify errors.
Result<std::optional<Tensor>> constantRoundings(const FloatForms &forms, const std::string &tensor,
                                                const Operands &operands);

} // namespace tilerig::verify
