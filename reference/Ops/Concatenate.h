// Joins tensors along an axis, for Concat and ConcatFromSequence.
#pragma once

#include "reference/Run/Operator.h"

namespace tilerig::reference {

// Joins at least one tensor along an axis, which may be negative. They must have one type, and the same size along
// every other axis; errors call them `noun` and their number.
Result<Tensor> concatenate(const OpContext &context, std::span<const Tensor> tensors, int64_t axis,
                           std::string_view noun);

} // namespace tilerig::reference
