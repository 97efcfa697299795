// Reduces a batched network to one image, for programs that run the images of a batch one after another. The
// OCMs then hold the activations of one image only, which leaves space for pinned weights.
#pragma once

#include "compiler/Tile/Ops/DeviceNetwork.h"
#include "isa/Base/Support/Error.h"

namespace tilerig::compiler {

// Returns the same network with batch size 1; tensors, steps and layers keep their numbers. If the images of
// the batch cannot be computed independently, returns an error with the reason.
Result<DeviceNetwork> oneImageOf(const DeviceNetwork &batch);

// Batch size: the first dimension that all inputs have in common; 1 if they differ or an input has fewer than
// two dimensions.
int64_t numImages(const DeviceNetwork &network);

} // namespace tilerig::compiler
