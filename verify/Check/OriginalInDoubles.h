// Evaluates the original model in fp64, to find what a layer computes if no intermediate value overflows. In
// fp32, intermediate tensors of the original model may overflow that do not exist in the compiled model.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "reference/Run/Threads.h"
#include "verify/Check/SourceModel.h"

namespace tilerig::verify {

// Computes every tensor of the model in fp64 and returns them by name. `substitutes` are tensors whose given
// values are used in place of the computed ones, to preserve overflows in them.
Result<TensorMap> originalInDoubles(const SourceModel &source, const TensorMap &inputs,
                                    const TensorMap &substitutes, reference::Threads &threads);

} // namespace tilerig::verify
