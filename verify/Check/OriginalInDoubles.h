// Evaluates the original model in fp64, to find what a layer computes if no intermediate value overflows. In
// fp32, intermediate tensors of the original model may overflow that do not exist in the compiled model.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "reference/Run/Threads.h"
#include "verify/Check/SourceModel.h"

namespace tilerig::verify {

// Returns every tensor of the model by its name. Nodes read the tensors of `substitutes` in place of the
// model's tensors of the same names, so that overflows in these are preserved.
Result<TensorMap> originalInDoubles(const SourceModel &source, const TensorMap &inputs,
                                    const TensorMap &substitutes, reference::Threads &threads);

} // namespace tilerig::verify
