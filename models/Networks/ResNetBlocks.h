// The blocks of residual networks, shared by the classifiers and the detectors. K. He et al.: Deep residual
// learning for image recognition, 2015. In bottleneck blocks the 3×3 convolution has the stride, as in the
// versions of PyTorch and NVIDIA.
#pragma once

#include "models/Builder/Layers.h"

namespace tilerig::models {

// The stem: a 7×7 convolution and a pooling, which reduce height and width to a quarter; 64 channels.
Value residualStem(GraphBuilder &g, const Value &x);

struct ResidualStage {
  std::string_view name;
  int64_t blocks, width, stride;
};
// A stage of basic blocks: two 3×3 convolutions per block.
Value basicStage(GraphBuilder &g, Value x, const ResidualStage &stage);
// A stage of bottleneck blocks: 1×1, 3×3, 1×1. The output has four times as many channels as the stage is
// wide.
Value bottleneckStage(GraphBuilder &g, Value x, const ResidualStage &stage);

} // namespace tilerig::models
