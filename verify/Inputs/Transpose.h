// Transposes a tensor: permutes its axes.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::verify {

// Axis i of the result is axis axes[i] of the tensor. Refuses `axes` of another length than the tensor's
// rank.
Result<Tensor> transpose(const Tensor &tensor, const std::vector<size_t> &axes);

} // namespace tilerig::verify
