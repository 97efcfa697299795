// AlexNet as published: two groups, from the split over two GPUs, and local response normalisation. A.
// Krizhevsky, I. Sutskever, G. Hinton: ImageNet classification with deep convolutional neural networks, 2012.
#include "models/Builder/Layers.h"
#include "models/Networks/Families.h"

namespace tilerig::models {

static constexpr Kernel pooled{.size = 3, .stride = 2};

static Value normalised(GraphBuilder &g, const Value &x) {
  return localResponseNorm(g, x, 5, 1e-4f, 0.75f, 2.0f);
}

Network alexNet(const Variant &variant) {
  GraphBuilder g("alexnet", variant.opset);
  Value x = imageInput(g, variant);
  auto rectifiedConv = [&](std::string_view name, const ConvSpec &spec) {
    x = relu(g, biasedConv(g, x, name, spec), std::string("relu") + name.back());
  };
  auto normaliseAndPool = [&](std::string_view index) {
    Scope scope(g, index);
    x = maxPool(g, normalised(g, x), pooled);
  };
  rectifiedConv("conv1", {96, {11, 4, 0}});
  normaliseAndPool("stage1");
  rectifiedConv("conv2", {256, {5, 1, 2}, 2});
  normaliseAndPool("stage2");
  rectifiedConv("conv3", {384, {3, 1, 1}});
  rectifiedConv("conv4", {384, {3, 1, 1}, 2});
  rectifiedConv("conv5", {256, {3, 1, 1}, 2});
  x = flatten(g, maxPool(g, x, pooled, Rounding::down, "pool5"));
  x = relu(g, linear(g, x, "fc6", 4096), "relu6");
  x = relu(g, linear(g, x, "fc7", 4096), "relu7");
  g.output(linear(g, x, "fc8", imageNetClasses));
  return std::move(g).finish();
}

} // namespace tilerig::models
