// The kinds of models there are, one file each.
#pragma once

#include "classifier/Models/Layers.h"

#include <optional>

namespace tilerig::classifier {

struct Heads {
  Value features; // [n]: what the last layer reads; how far a row is from all others is measured there
  // [classes], made of the features by the layer "logits" where training is in closed form
  Value logits;
  // [1], beside the logits: that it is no row but a mixture of two (Training/Mixtures.h). Of kinds that learn
  // it.
  std::optional<Value> mixed = {};
};

struct ModelKind {
  std::string_view name, summary;
  Heads (*build)(Layers &layers, int64_t classes);
  bool closedForm = false; // no gradients: the layer "logits" is the least-squares one
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
// A part of several: the facts, as wide as is asked for. Beside each fact stands by how much it exceeds some
// of its values, so that what holds for a part of its range alone is a plane, too.
inline constexpr size_t numHinges = 4;
Value readFacts(Layers &layers, int64_t width);
// The last layers of several: which class, and whether it is a row at all.
Heads nameAndDoubt(Layers &layers, const Value &features, int64_t classes);

} // namespace tilerig::classifier
