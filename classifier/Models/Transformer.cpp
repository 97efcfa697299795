// Vision transformer: attention between 64 patches (A. Dosovitskiy and others: An image is worth 16 × 16
// words, 2021). Numbers that are computed from the features (single numbers) are added to every patch.
#include "classifier/Models/Kinds.h"

#include <cmath>

namespace tilerig::classifier {

namespace {

constexpr int64_t patches = 64, width = 64, heads = 4;

Value attend(Layers &layers, const Value &x, const std::string &name) {
  constexpr int64_t toHeads[] = {1, 0, 2}, transposed[] = {1, 2, 0};
  auto split = [&](const char *part, std::span<const int64_t> axes) {
    const Value projected = layers.linear(x, name + part, width);
    return layers.transpose(layers.reshape(projected, {patches, heads, width / heads}), axes);
  };
  const Value scores = layers.matmul(split(".query", toHeads), split(".key", transposed));
  const Value weights =
      layers.softmax(layers.scale(scores, 1 / std::sqrt(static_cast<float>(width / heads))));
  const Value mixed = layers.transpose(layers.matmul(weights, split(".value", toHeads)), toHeads);
  return layers.linear(layers.reshape(mixed, {patches, width}), name + ".out", width);
}

Value encode(Layers &layers, const Value &x, const std::string &name) {
  const Value mixed = layers.add(x, attend(layers, layers.layerNorm(x, name + ".norm1"), name));
  const Value wide =
      layers.relu(layers.linear(layers.layerNorm(mixed, name + ".norm2"), name + ".wide", 2 * width));
  return layers.add(mixed, layers.dropout(layers.linear(wide, name + ".narrow", width), 0.1));
}

} // namespace

Heads transformer(Layers &layers, int64_t classes) {
  constexpr int64_t patchesFirst[] = {1, 0};
  const Value cells = layers.conv(layers.input(Input::channels), "patches",
                                  {.outputs = width, .kernel = 8, .stride = 8, .normalised = false});
  Value x = layers.transpose(layers.reshape(cells, {width, patches}), patchesFirst);
  x = layers.add(x, layers.learned("position", {patches, width}));
  x = layers.add(x, layers.reshape(readFeatures(layers, width), {1, width}));
  for (const char *name : {"layer1", "layer2", "layer3"})
    x = encode(layers, x, name);
  const Value embedding =
      layers.relu(layers.linear(layers.meanOfRows(layers.layerNorm(x, "norm")), "embedding", 128));
  return nameAndDoubt(layers, embedding, classes);
}

} // namespace tilerig::classifier
