// Gathers the elements of a tensor by strides: permuted, sliced, reversed or broadcast copies.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <span>

namespace tilerig {

// A new tensor of the given shape whose elements are read from `from`, starting at element `base` with the
// given strides (in elements, of any sign).
Tensor takenByStrides(const Tensor &from, std::span<const int64_t> shape, int64_t base,
                      std::span<const int64_t> strides);
// Like takenByStrides(), but writes to the existing tensor `to`, which determines the shape and must have the
// same type.
void takeByStrides(Tensor &to, const Tensor &from, int64_t base, std::span<const int64_t> strides);
// The transposed tensor: axis i of the result is axis perm[i] of `from`.
Tensor transposed(const Tensor &from, std::span<const int64_t> perm);

} // namespace tilerig
