// Linear classifier fitted by least squares without gradients, on the sums of the rows and columns of the
// input channels (maps of 64 × 64 numbers), the features (single numbers), and 512 random functions of all
// these numbers (W. Schmidt and others: Feed forward neural networks with random weights, 1992).
#include "classifier/Models/Kinds.h"

namespace tilerig::classifier {

Heads statistics(Layers &layers, int64_t classes) {
  const Value channels = layers.input(Input::channels);
  const auto side = channels.shape[1];
  const Value parts[] = {flatten(layers, layers.averagePool(channels, 4, side)),
                         flatten(layers, layers.averagePool(channels, side, 4)),
                         layers.standardise(layers.input(Input::features), "features")};
  const Value numbers = layers.concat(parts);
  const Value both[] = {numbers, layers.relu(layers.linear(numbers, "random", 512))};
  const Value embedding = layers.concat(both);
  return {embedding, layers.linear(embedding, "logits", classes)};
}

} // namespace tilerig::classifier
