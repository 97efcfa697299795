// A separate small network for each class, implemented as grouped convolutions with one group of channels for
// each class. Only the softmax at the end combines the outputs of the classes.
#include "classifier/Models/Kinds.h"

namespace tilerig::classifier {

Heads onePerClass(Layers &layers, int64_t classes) {
  constexpr int64_t each = 6;
  const int64_t all = classes * each;
  auto grouped = [&](int64_t stride) { return Conv{.outputs = all, .stride = stride, .groups = classes}; };
  Value x = layers.relu(
      layers.conv(layers.input(Input::channels), "stem", {.outputs = all, .kernel = 4, .stride = 4}));
  x = layers.relu(layers.conv(x, "conv1", grouped(2)));
  x = layers.relu(layers.conv(x, "conv2", grouped(2)));
  const Value features = layers.standardise(layers.input(Input::features), "features");
  const Value perClass = layers.reshape(layers.linear(features, "features.first", all), {all, 1, 1});
  x = layers.relu(layers.add(x, perClass));
  const Value read = layers.conv(
      x, "read", {.outputs = classes, .kernel = 4, .stride = 4, .groups = classes, .normalised = false});
  return {flatten(layers, layers.averagePool(x, 4, 4)), flatten(layers, read)};
}

} // namespace tilerig::classifier
