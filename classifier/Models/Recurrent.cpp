// LSTM over the 64 columns of a classifier's input channels (maps of 64 × 64 numbers) as a sequence, each
// column averaged to 16 rows per channel.
#include "classifier/Models/Kinds.h"

namespace tilerig::classifier {

Heads recurrent(Layers &layers, int64_t classes) {
  constexpr int64_t columnsFirst[] = {1, 0};
  const Value coarse = layers.averagePool(layers.input(Input::channels), 4, 1);
  const Value columns = layers.reshape(coarse, {coarse.shape[0] * coarse.shape[1], coarse.shape[2]});
  const Value steps = layers.relu(layers.linear(layers.transpose(columns, columnsFirst), "columns", 64));
  const Value read = layers.meanOfRows(layers.lstm(steps, "lstm", 64));
  const Value parts[] = {read, readFeatures(layers, 96)};
  const Value embedding = layers.relu(layers.linear(layers.concat(parts), "embedding", 128));
  return nameAndDoubt(layers, embedding, classes);
}

} // namespace tilerig::classifier
