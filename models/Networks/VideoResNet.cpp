// A residual network on video clips, with convolutions of 3×3×3: R3D with one block per stage and a quarter of
// the channels. D. Tran et al.: A closer look at spatiotemporal convolutions for action recognition, 2018.
#include "models/Builder/Layers.h"
#include "models/Networks/Families.h"

namespace tilerig::models {

namespace {

constexpr int64_t frames = 8, classes = 400;

Value convNorm(GraphBuilder &g, const Value &x, const std::string &number, const ConvSpec &spec) {
  return batchNorm(g, conv(g, x, "conv" + number, spec), "bn" + number);
}

Value residualBlock(GraphBuilder &g, const Value &x, int64_t channels, int64_t stride) {
  Value y = relu(g, convNorm(g, x, "1", {channels, {3, stride, 1}}), "relu1");
  y = convNorm(g, y, "2", {channels, {3, 1, 1}});
  const bool changesShape = stride > 1 || x.shape[1] != channels;
  Value shortcut = changesShape ? convNorm(g, x, "_shortcut", {channels, {1, stride, 0}}) : x;
  return relu(g, add(g, y, shortcut), "relu2");
}

} // namespace

Network videoResNet(const Variant &variant) {
  GraphBuilder g("r3d_mini", variant.opset);
  Value x = g.input("image", DType::f32, {variant.batch, 3, frames, variant.imageSize, variant.imageSize});
  x = relu(g, convNorm(g, x, "0", {16, {3, 1, 1}}), "relu0");
  for (int64_t stage = 0; stage < 4; ++stage) {
    Scope scope(g, "layer" + std::to_string(stage + 1));
    x = residualBlock(g, x, 16 << stage, stage == 0 ? 1 : 2);
  }
  g.output(linear(g, flatten(g, globalAveragePool(g, x)), "head", classes));
  return std::move(g).finish();
}

} // namespace tilerig::models
