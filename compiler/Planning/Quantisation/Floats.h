// Conversion of float tensors of any type to fp32, the type in which quantisation reads them.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::compiler {

// The values as fp32; doubles are rounded to nearest, ties to even. Refuses tensors of other types.
Result<Tensor> asFloats(const Tensor &tensor);

} // namespace tilerig::compiler
