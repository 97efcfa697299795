// One image of a batch, where images go through a network one after another: what they take in the OCMs is
// what one takes, which leaves room for weights that stay there.
#pragma once

#include "compiler/Tiling/DeviceNetwork.h"
#include "isa/Support/Error.h"

namespace tilerig {

// The same network with one image in place of a batch of them: tensors, steps and layers have the same
// numbers. An error says what keeps images from going apart.
Result<DeviceNetwork> oneImageOf(const DeviceNetwork &batch);

// How many images a batch has: the first size of the inputs; 1 where they do not agree.
int64_t numImages(const DeviceNetwork &network);

} // namespace tilerig
