// Small residual network (K. He and others: Deep residual learning for image recognition, 2016). In the input
// maps of 64 × 64 numbers, the meaning of a cell depends on its position. Convolutions ignore positions, so a
// learned position map is added, and the last layers read a coarse map instead of a global mean.
#include "classifier/Models/Kinds.h"

namespace tilerig::classifier {

namespace {

Value residualBlock(Layers &layers, const Value &x, const std::string &name, int64_t outputs,
                    int64_t stride) {
  const Value first = layers.relu(layers.conv(x, name + ".first", {.outputs = outputs, .stride = stride}));
  const Value second = layers.conv(first, name + ".second", {.outputs = outputs});
  const bool fits = stride == 1 && x.shape[0] == outputs;
  const Value shortcut =
      fits ? x : layers.conv(x, name + ".shortcut", {.outputs = outputs, .kernel = 1, .stride = stride});
  return layers.relu(layers.add(second, shortcut));
}

// Reduces a map [channels, 64, 64] to 256 numbers. Begins with a convolution over patches of 4 × 4 cells,
// because layers on the full 64 × 64 cells would take most of the time.
Value readPlanes(Layers &layers, const Value &planes) {
  Value x = layers.conv(planes, "stem", {.outputs = 32, .kernel = 4, .stride = 4});
  x = layers.relu(layers.add(x, layers.learned("position", x.shape)));
  x = residualBlock(layers, x, "block1", 32, 1);
  x = residualBlock(layers, x, "block2", 64, 2);
  x = residualBlock(layers, x, "block3", 64, 1);
  return layers.dropout(flatten(layers, layers.averagePool(x, 4, 4)), 0.2);
}

Value embeddingOf(Layers &layers, const Value &x) { return layers.relu(layers.linear(x, "embedding", 96)); }

} // namespace

Heads residualNetwork(Layers &layers, int64_t classes) {
  const Value channels = layers.input(Input::channels);
  const Value parts[] = {readPlanes(layers, channels), readFeatures(layers, 224)};
  const Value embedding = embeddingOf(layers, layers.concat(parts));
  return nameAndDoubt(layers, embedding, classes);
}

Heads pictureNetwork(Layers &layers, int64_t classes) {
  const Value embedding = embeddingOf(layers, readPlanes(layers, layers.input(Input::picture)));
  return {embedding, layers.linear(layers.dropout(embedding, 0.2), "logits", classes)};
}

} // namespace tilerig::classifier
