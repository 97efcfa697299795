// The error that a rounding to 8 bits inside of a layer explains: the sum before it may be nearly halfway between two
// integers and may be rounded to either, as at the end of a layer.
#pragma once

#include "verify/Check/FloatForms.h"

#include <optional>

namespace tilerig::verify {

// Error bound of each element of `tensor`, which is computed from the operands; empty if nothing in between is rounded to
// 8 bits.
Result<std::optional<Tensor>> innerRoundings(const FloatForms &forms, const std::string &tensor,
                                             const Operands &operands);

} // namespace tilerig::verify
