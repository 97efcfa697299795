// The model as it was written, in fp64: what a layer gives where numbers of the size of its own inputs do not
// overflow on the way, as they may do in fp32 where the original stores what the compiler fused away.
#pragma once

#include "isa/Tensor/TensorMap.h"
#include "reference/Run/Threads.h"
#include "verify/Check/SourceModel.h"

namespace tilerig::verify {

// Every tensor by its name. Whoever reads one of `given` in the model reads what is given, so an overflow in
// front of it is still there.
Result<TensorMap> originalInDoubles(const SourceModel &source, const TensorMap &inputs,
                                    const TensorMap &given, reference::Threads &threads);

} // namespace tilerig::verify
