// MobileNets: each convolution is split into a depthwise one (spatial) and a pointwise one (across channels).
// A. Howard et al.: MobileNets, 2017; M. Sandler et al.: MobileNetV2, 2018.
#include "models/Builder/Layers.h"
#include "models/Networks/Families.h"

namespace tilerig::models {

namespace {

Value convNorm(GraphBuilder &g, const Value &x, std::string_view name, const ConvSpec &spec,
               const NormSpec &norm = {}) {
  Scope scope(g, name);
  return batchNorm(g, conv(g, x, "conv", spec), "bn", norm);
}

Value depthwise(GraphBuilder &g, const Value &x, int64_t stride) {
  int64_t channels = x.shape[1];
  return convNorm(g, x, "depthwise", {channels, {3, stride, 1}, channels});
}

Value separable(GraphBuilder &g, const Value &x, int64_t outputs, int64_t stride) {
  Value y = relu(g, depthwise(g, x, stride), "relu1");
  return relu(g, convNorm(g, y, "pointwise", {outputs}), "relu2");
}

// An inverted residual block: expansion, depthwise convolution, projection without an activation.
Value invertedResidual(GraphBuilder &g, const Value &x, int64_t factor, int64_t outputs, int64_t stride) {
  Value y = x;
  if (factor != 1)
    y = relu6(g, convNorm(g, y, "expand", {factor * x.shape[1]}), "relu1");
  y = relu6(g, depthwise(g, y, stride), "relu2");
  bool residual = stride == 1 && x.shape[1] == outputs;
  y = convNorm(g, y, "project", {outputs}, residual ? NormSpec{.scale = 0.5} : NormSpec{});
  return residual ? add(g, x, y) : y;
}

void classifier(GraphBuilder &g, const Value &x) {
  g.output(linear(g, flatten(g, globalAveragePool(g, x)), "fc", imageNetClasses));
}

} // namespace

Network mobileNetV1(const Variant &variant) {
  struct Layer {
    int64_t outputs, stride;
  };
  constexpr Layer layers[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                              {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
  GraphBuilder g("mobilenet_v1", variant.opset);
  Value x = relu(g, convNorm(g, imageInput(g, variant), "stem", {32, {3, 2, 1}}));
  for (size_t i = 0; i < std::size(layers); ++i) {
    Scope scope(g, "block" + std::to_string(i + 1));
    x = separable(g, x, layers[i].outputs, layers[i].stride);
  }
  classifier(g, x);
  return std::move(g).finish();
}

Network mobileNetV2(const Variant &variant) {
  struct Stage {
    int64_t factor, outputs, blocks, stride;
  };
  constexpr Stage stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                              {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  GraphBuilder g("mobilenet_v2", variant.opset);
  Value x = relu6(g, convNorm(g, imageInput(g, variant), "stem", {32, {3, 2, 1}}));
  int64_t index = 0;
  for (const Stage &stage : stages)
    for (int64_t i = 0; i < stage.blocks; ++i) {
      Scope scope(g, "block" + std::to_string(++index));
      x = invertedResidual(g, x, stage.factor, stage.outputs, i == 0 ? stage.stride : 1);
    }
  x = relu6(g, convNorm(g, x, "head", {1280}), "head_relu6");
  classifier(g, x);
  return std::move(g).finish();
}

} // namespace tilerig::models
