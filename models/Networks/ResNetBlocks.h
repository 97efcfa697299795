// The blocks of residual networks, for those that end in a classifier and those that go on as detectors.
// K. He et al.: Deep residual learning for image recognition, 2015; the stride stands on the 3×3 convolution
// of a bottleneck, as PyTorch's and NVIDIA's versions have it.
#pragma once

#include "models/Builder/Layers.h"

namespace tilerig::models {

// 7×7 convolution and pooling: a quarter of the image's size, 64 channels.
Value residualStem(GraphBuilder &g, const Value &x);

struct ResidualStage {
  std::string_view name;
  int64_t blocks, width, stride;
};
// Two 3×3 convolutions a block.
Value basicStage(GraphBuilder &g, Value x, const ResidualStage &stage);
// 1×1, 3×3, 1×1; the output has four times as many channels as the stage is wide.
Value bottleneckStage(GraphBuilder &g, Value x, const ResidualStage &stage);

} // namespace tilerig::models
