// SqueezeNet 1.1: fire modules squeeze the channels, then expand them by parallel 1×1 and 3×3 convolutions.
// F. Iandola et al.: SqueezeNet, 2016, and the authors' revision 1.1.
#include "models/Builder/Layers.h"
#include "models/Networks/Families.h"

namespace tilerig::models {

static Value fire(GraphBuilder &g, const Value &x, int64_t index, int64_t squeezed, int64_t expanded) {
  Scope scope(g, "fire" + std::to_string(index));
  Value s = relu(g, biasedConv(g, x, "squeeze", {squeezed}), "squeeze_relu");
  Value narrow = relu(g, biasedConv(g, s, "expand1x1", {expanded}), "expand1x1_relu");
  Value wide = relu(g, biasedConv(g, s, "expand3x3", {expanded, {3, 1, 1}}), "expand3x3_relu");
  return concat(g, std::array{narrow, wide});
}

Network squeezeNet(const Variant &variant) {
  GraphBuilder g("squeezenet", variant.opset);
  constexpr Kernel pooled{.size = 3, .stride = 2};
  Value x = relu(g, biasedConv(g, imageInput(g, variant), "conv1", {64, {3, 2, 0}}), "relu1");
  x = maxPool(g, x, pooled, Rounding::up, "pool1");
  x = fire(g, fire(g, x, 2, 16, 64), 3, 16, 64);
  x = maxPool(g, x, pooled, Rounding::up, "pool3");
  x = fire(g, fire(g, x, 4, 32, 128), 5, 32, 128);
  x = maxPool(g, x, pooled, Rounding::up, "pool5");
  x = fire(g, fire(g, x, 6, 48, 192), 7, 48, 192);
  x = fire(g, fire(g, x, 8, 64, 256), 9, 64, 256);
  x = relu(g, biasedConv(g, x, "conv10", {imageNetClasses}), "relu10");
  g.output(flatten(g, globalAveragePool(g, x)));
  return std::move(g).finish();
}

} // namespace tilerig::models
