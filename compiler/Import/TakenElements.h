// Elements of constants in another order or shape.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <llvm/ADT/ArrayRef.h>

namespace tilerig {

// Those that strides (in elements) find from `base` on, in a shape of their own.
Tensor takenByStrides(const Tensor &from, llvm::ArrayRef<int64_t> shape, int64_t base,
                      llvm::ArrayRef<int64_t> strides);
// With axis i of the result axis perm[i].
Tensor transposed(const Tensor &from, llvm::ArrayRef<int64_t> perm);

} // namespace tilerig
