// Evaluates the original model in fp64, to show what a layer computes if no intermediate value overflows. In
// fp32, values may overflow in the original model where it stores tensors that the compiler fused away.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "reference/Run/Threads.h"
#include "verify/Check/SourceModel.h"

namespace tilerig::verify {

// Returns every tensor of the model by its name. Nodes that read a tensor of `substitutes` read the
// substitute instead, so an overflow before that tensor is preserved.
Result<TensorMap> originalInDoubles(const SourceModel &source, const TensorMap &inputs,
                                    const TensorMap &substitutes, reference::Threads &threads);

} // namespace tilerig::verify
