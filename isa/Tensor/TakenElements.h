// Elements of a tensor in another order or shape.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <span>

namespace tilerig {

// Those that strides (in elements, of any sign) find from `base` on, in a shape of their own.
Tensor takenByStrides(const Tensor &from, std::span<const int64_t> shape, int64_t base,
                      std::span<const int64_t> strides);
// The same into a tensor of that shape and of the same type.
void takeByStrides(Tensor &to, const Tensor &from, int64_t base, std::span<const int64_t> strides);
// With axis i of the result axis perm[i].
Tensor transposed(const Tensor &from, std::span<const int64_t> perm);

} // namespace tilerig
