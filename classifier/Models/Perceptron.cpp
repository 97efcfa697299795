// Multilayer perceptron on the inputs of a classifier: channels (maps of 64 × 64 numbers), averaged over
// cells of 4 × 4, and features (single numbers).
#include "classifier/Models/Kinds.h"

namespace tilerig::classifier {

Heads perceptron(Layers &layers, int64_t classes) {
  const Value cells = flatten(layers, layers.averagePool(layers.input(Input::channels), 4, 4));
  const Value first = layers.dropout(layers.relu(layers.linear(cells, "cells", 32)), 0.2);
  const Value parts[] = {first, readFeatures(layers, 256)};
  const Value embedding = layers.relu(layers.linear(layers.concat(parts), "embedding", 128));
  return nameAndDoubt(layers, embedding, classes);
}

} // namespace tilerig::classifier
