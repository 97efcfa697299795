#include "models/Networks/Families.h"
#include "models/Networks/ResNetBlocks.h"

namespace tilerig::models {

namespace {

// Distribution of the last normalisation's scale in a residual block. Training makes this scale small;
// otherwise activations would grow from block to block.
constexpr NormSpec lastOfBlock{.scale = 0.5, .scaleSpread = 0.25};

Value convNorm(GraphBuilder &g, const Value &x, const std::string &index, const ConvSpec &spec,
               const NormSpec &norm = {}) {
  return batchNorm(g, conv(g, x, "conv" + index, spec), "bn" + index, norm);
}

// The shortcut of a residual block: the identity if the shape does not change, otherwise a 1×1 convolution.
Value shortcut(GraphBuilder &g, const Value &x, int64_t channels, int64_t stride) {
  if (x.shape[1] == channels && stride == 1)
    return x;
  Scope scope(g, "downsample");
  return batchNorm(g, conv(g, x, "conv", {channels, {1, stride, 0}}), "bn");
}

Value basicBlock(GraphBuilder &g, const Value &x, int64_t width, int64_t stride) {
  Value y = relu(g, convNorm(g, x, "1", {width, {3, stride, 1}}), "relu1");
  y = convNorm(g, y, "2", {width, {3, 1, 1}}, lastOfBlock);
  return relu(g, add(g, y, shortcut(g, x, width, stride)), "relu2");
}

Value bottleneck(GraphBuilder &g, const Value &x, int64_t width, int64_t stride) {
  Value y = relu(g, convNorm(g, x, "1", {width}), "relu1");
  y = relu(g, convNorm(g, y, "2", {width, {3, stride, 1}}), "relu2");
  y = convNorm(g, y, "3", {4 * width}, lastOfBlock);
  return relu(g, add(g, y, shortcut(g, x, 4 * width, stride)), "relu3");
}

using Block = Value (*)(GraphBuilder &, const Value &, int64_t width, int64_t stride);

Value stageOf(Block block, GraphBuilder &g, Value x, const ResidualStage &stage) {
  Scope scope(g, stage.name);
  for (int64_t i = 0; i < stage.blocks; ++i) {
    Scope inner(g, i);
    x = block(g, x, stage.width, i == 0 ? stage.stride : 1);
  }
  return x;
}

void classifier(GraphBuilder &g, const Value &x) {
  g.output(linear(g, flatten(g, globalAveragePool(g, x)), "fc", imageNetClasses));
}

} // namespace

Value residualStem(GraphBuilder &g, const Value &x) {
  return maxPool(g, relu(g, convNorm(g, x, "1", {64, {7, 2, 3}})), {3, 2, 1});
}

Value basicStage(GraphBuilder &g, Value x, const ResidualStage &stage) {
  return stageOf(basicBlock, g, std::move(x), stage);
}

Value bottleneckStage(GraphBuilder &g, Value x, const ResidualStage &stage) {
  return stageOf(bottleneck, g, std::move(x), stage);
}

Network resNet18(const Variant &variant) {
  GraphBuilder g("resnet18", variant.opset);
  Value x = residualStem(g, imageInput(g, variant));
  x = basicStage(g, x, {"layer1", 2, 64, 1});
  x = basicStage(g, x, {"layer2", 2, 128, 2});
  x = basicStage(g, x, {"layer3", 2, 256, 2});
  x = basicStage(g, x, {"layer4", 2, 512, 2});
  classifier(g, x);
  return std::move(g).finish();
}

Network resNet50(const Variant &variant) {
  GraphBuilder g("resnet50", variant.opset);
  Value x = residualStem(g, imageInput(g, variant));
  x = bottleneckStage(g, x, {"layer1", 3, 64, 1});
  x = bottleneckStage(g, x, {"layer2", 4, 128, 2});
  x = bottleneckStage(g, x, {"layer3", 6, 256, 2});
  x = bottleneckStage(g, x, {"layer4", 3, 512, 2});
  classifier(g, x);
  return std::move(g).finish();
}

} // namespace tilerig::models
