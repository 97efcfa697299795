// The kinds of models (network architectures), each defined in a file of its own.
#pragma once

#include "classifier/Models/Layers.h"

#include <optional>

namespace tilerig::classifier {

// The outputs of a network: its embedding of a row, the logits of the classes, and the logit of "this row is
// a mixture of two rows".
struct Heads {
  // [n]: embedding, the input of the last layer; measures how similar a row is to the training rows
  Value embedding;
  // [classes]: the logits of the classes. A network that is trained in closed form computes them from the
  // embedding by a linear layer named "logits".
  Value logits;
  // [1]: logit of "this row is a mixture of two rows" (Training/Mixtures.h); only for models that learn to
  // recognise mixtures.
  std::optional<Value> mixed = {};
};

struct ModelKind {
  std::string_view name, summary;
  Heads (*build)(Layers &layers, int64_t classes);
  bool closedForm = false; // only the layer "logits" is trained, by least squares and without gradients
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
// Number of hinges of a feature (a single number that a classifier reads). A hinge is a threshold: a network
// also gets the amount by which the feature exceeds it. So even a linear network can treat the parts of the
// feature's range differently.
inline constexpr size_t numHinges = 4;
// First layers that several kinds of models share. They compute `width` numbers from the features (single
// numbers that a classifier reads) and from the amounts by which these exceed their hinges (thresholds).
Value readFeatures(Layers &layers, int64_t width);
// Output layers that several kinds of models share: the logits of the classes, and the logit of "this row is
// a mixture" (Heads::mixed).
Heads nameAndDoubt(Layers &layers, const Value &embedding, int64_t classes);

} // namespace tilerig::classifier
