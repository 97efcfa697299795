// What constants of 16 bits may be off by. A model in such floats has its norms folded into weights, and its
// scales into each other; what the compiler computes of them is rounded once more to the type that they have.
#pragma once

#include "verify/Check/FloatForms.h"

namespace tilerig::verify {

// How far a tensor may be off by half a step of each weight and each bias of the sum of products on the way
// to it from the operands: the same sum of magnitudes, with these half steps. Nothing where there is no such
// sum, its constants have no 16 bits, or something follows that may be steeper than its input.
Result<std::optional<Tensor>> constantRoundings(const FloatForms &forms, const std::string &tensor,
                                                const Operands &given);

} // namespace tilerig::verify
