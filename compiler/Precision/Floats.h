// Tensors of any float type, seen as fp32: what quantisation looks at.
#pragma once

#include "isa/Support/Error.h"
#include "isa/Tensor/Tensor.h"

namespace tilerig {

// The same values as fp32; doubles are rounded to nearest even. Refuses tensors that hold no floats.
Result<Tensor> asFloats(const Tensor &tensor);

} // namespace tilerig
