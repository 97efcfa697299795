// The kinds of models (network architectures), each defined in a file of its own.
#pragma once

#include "classifier/Models/Layers.h"

#include <optional>

namespace tilerig::classifier {

struct Heads {
  Value features; // [n]: input of the last layer; the distance from known rows is measured here
  // [classes]; computed from the features by the layer "logits" if training is in closed form
  Value logits;
  // [1]: logit of the row being a mixture of two rows (Training/Mixtures.h); only for kinds that learn it.
  std::optional<Value> mixed = {};
};

struct ModelKind {
  std::string_view name, summary;
  Heads (*build)(Layers &layers, int64_t classes);
  bool closedForm = false; // fitted by least squares in the layer "logits", without gradients
};

std::span<const ModelKind> modelKinds();
const ModelKind *findKind(std::string_view name);

Heads residualNetwork(Layers &layers, int64_t classes);
Heads pictureNetwork(Layers &layers, int64_t classes);
Heads onePerClass(Layers &layers, int64_t classes);
Heads perceptron(Layers &layers, int64_t classes);
Heads transformer(Layers &layers, int64_t classes);
Heads recurrent(Layers &layers, int64_t classes);
Heads statistics(Layers &layers, int64_t classes);
// Layers that several kinds share: reads the facts into `width` features. Adds to each fact how much it
// exceeds some of its values (hinges), so that the network can also be linear in a part of the fact's range.
inline constexpr size_t numHinges = 4;
Value readFacts(Layers &layers, int64_t width);
// Output layers that several kinds share: logits of the classes and of a mixture.
Heads nameAndDoubt(Layers &layers, const Value &features, int64_t classes);

} // namespace tilerig::classifier
