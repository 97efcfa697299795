// Axes in another order.
#pragma once

#include "isa/Tensor/Tensor.h"

namespace tilerig::verify {

// Axis i of the result is axis axes[i] of the tensor. Refuses another number of axes than the tensor has.
Result<Tensor> transpose(const Tensor &tensor, const std::vector<size_t> &axes);

} // namespace tilerig::verify
