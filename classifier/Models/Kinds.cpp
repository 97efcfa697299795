#include "classifier/Models/Kinds.h"

#include <algorithm>
#include <vector>

namespace tilerig::classifier {

std::span<const ModelKind> modelKinds() {
  static constexpr ModelKind kinds[] = {
      {"resnet", "residual network on all inputs: error maps of 64 × 64 cells, and single numbers",
       residualNetwork},
      {"picture", "residual network on nothing but the picture of a tensor's errors that reports show",
       pictureNetwork},
      {"one-per-class", "a separate small network for each class of bugs", onePerClass},
      {"mlp", "fully connected layers on the single numbers and on averages over the error maps", perceptron},
      {"transformer", "transformer on the single numbers and on patches of the error maps", transformer},
      {"lstm", "LSTM on the single numbers, and on the columns of the error maps as a sequence", recurrent},
      {"statistics",
       "linear model on the single numbers and on sums over the error maps, fitted by least squares",
       statistics, true},
  };
  return kinds;
}

const ModelKind *findKind(std::string_view name) {
  const auto kind = std::ranges::find(modelKinds(), name, &ModelKind::name);
  return kind == modelKinds().end() ? nullptr : &*kind;
}

Value readFeatures(Layers &layers, int64_t width) {
  const Value features = layers.input(Input::features);
  const std::vector<Value> copies(numHinges, features);
  const Value parts[] = {layers.standardise(features, "features"),
                         layers.relu(layers.standardise(layers.concat(copies), "hinges"))};
  const Value first =
      layers.dropout(layers.relu(layers.linear(layers.concat(parts), "features.first", width)), 0.1);
  return layers.relu(layers.linear(first, "features.second", width));
}

Heads nameAndDoubt(Layers &layers, const Value &embedding, int64_t classes) {
  const Value some = layers.dropout(embedding, 0.2);
  return {embedding, layers.linear(some, "logits", classes), layers.linear(some, "mixed", 1)};
}

} // namespace tilerig::classifier
