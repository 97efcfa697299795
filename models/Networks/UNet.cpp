// U-Net with four levels and 16 channels on the first: an encoder, a decoder that doubles the resolution by
// transposed convolutions, and connections from each level of the encoder to the same level of the decoder.
// O. Ronneberger et al.: U-Net, 2015; with batch normalisations and padded convolutions, as usual today.
#include "models/Builder/Layers.h"
#include "models/Networks/Families.h"

#include <array>

namespace tilerig::models {

namespace {

constexpr int64_t firstChannels = 16, levels = 4;

// Two convolutions of 3×3, each with a batch normalisation and ReLU.
Value convPair(GraphBuilder &g, Value x, int64_t channels) {
  for (const char *const number : {"1", "2"}) {
    const std::string suffix = number;
    x = batchNorm(g, conv(g, x, "conv" + suffix, {channels, {3, 1, 1}}), "bn" + suffix);
    x = relu(g, x, "relu" + suffix);
  }
  return x;
}

} // namespace

Network uNet(const Variant &variant) {
  GraphBuilder g("unet", variant.opset);
  Value x = imageInput(g, variant);
  std::vector<Value> skipped;
  for (int64_t level = 0; level < levels; ++level) {
    Scope scope(g, "down" + std::to_string(level));
    if (level > 0)
      x = maxPool(g, x, {2, 2, 0});
    x = convPair(g, x, firstChannels << level);
    skipped.push_back(x);
  }
  for (int64_t level = levels - 2; level >= 0; --level) {
    Scope scope(g, "up" + std::to_string(level));
    const int64_t channels = firstChannels << level;
    x = upsample(g, x, "upsample", channels);
    x = concat(g, std::array{skipped[static_cast<size_t>(level)], x});
    x = convPair(g, x, channels);
  }
  g.output(g.node("Sigmoid", "mask", {biasedConv(g, x, "head", {1})},
                  {variant.batch, 1, variant.imageSize, variant.imageSize}));
  return std::move(g).finish();
}

} // namespace tilerig::models
