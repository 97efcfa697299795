// Inception v1 (GoogLeNet): modules of four parallel branches. The auxiliary classifiers, which are used only
// in training, are left out. C. Szegedy et al.: Going deeper with convolutions, 2014.
#include "models/Builder/Layers.h"
#include "models/Networks/Families.h"

namespace tilerig::models {

namespace {

// Numbers of channels of the branches of an Inception module, in the order of the paper's table.
struct Branches {
  int64_t direct, reduce3, out3, reduce5, out5, pooled;
};

Value rectifiedConv(GraphBuilder &g, const Value &x, const std::string &name, const ConvSpec &spec) {
  return relu(g, biasedConv(g, x, name, spec), name + "_relu");
}

Value module(GraphBuilder &g, const Value &x, std::string_view name, const Branches &branches) {
  Scope scope(g, name);
  Value direct = rectifiedConv(g, x, "1x1", {branches.direct});
  Value three = rectifiedConv(g, x, "3x3_reduce", {branches.reduce3});
  three = rectifiedConv(g, three, "3x3", {branches.out3, {3, 1, 1}});
  Value five = rectifiedConv(g, x, "5x5_reduce", {branches.reduce5});
  five = rectifiedConv(g, five, "5x5", {branches.out5, {5, 1, 2}});
  Value pooled = maxPool(g, x, {3, 1, 1});
  pooled = rectifiedConv(g, pooled, "pool_proj", {branches.pooled});
  return concat(g, std::array{direct, three, five, pooled});
}

Value halved(GraphBuilder &g, const Value &x, std::string_view name) {
  return maxPool(g, x, {.size = 3, .stride = 2}, Rounding::up, name);
}

Value normalised(GraphBuilder &g, const Value &x, std::string_view name) {
  return localResponseNorm(g, x, 5, 1e-4f, 0.75f, 1.0f, name);
}

} // namespace

Network inceptionV1(const Variant &variant) {
  GraphBuilder g("inception_v1", variant.opset);
  Value x = rectifiedConv(g, imageInput(g, variant), "conv1", {64, {7, 2, 3}});
  x = normalised(g, halved(g, x, "pool1"), "norm1");
  x = rectifiedConv(g, x, "conv2_reduce", {64});
  x = rectifiedConv(g, x, "conv2", {192, {3, 1, 1}});
  x = halved(g, normalised(g, x, "norm2"), "pool2");
  x = module(g, x, "3a", {64, 96, 128, 16, 32, 32});
  x = module(g, x, "3b", {128, 128, 192, 32, 96, 64});
  x = halved(g, x, "pool3");
  x = module(g, x, "4a", {192, 96, 208, 16, 48, 64});
  x = module(g, x, "4b", {160, 112, 224, 24, 64, 64});
  x = module(g, x, "4c", {128, 128, 256, 24, 64, 64});
  x = module(g, x, "4d", {112, 144, 288, 32, 64, 64});
  x = module(g, x, "4e", {256, 160, 320, 32, 128, 128});
  x = halved(g, x, "pool4");
  x = module(g, x, "5a", {256, 160, 320, 32, 128, 128});
  x = module(g, x, "5b", {384, 192, 384, 48, 128, 128});
  x = flatten(g, globalAveragePool(g, x));
  g.output(linear(g, x, "fc", imageNetClasses));
  return std::move(g).finish();
}

} // namespace tilerig::models
