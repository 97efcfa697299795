// Computes the features (Features.h) of a tensor from its comparison, from counts of its elements, and from a
// contiguous part of its elements (Stretch.h).
#pragma once

#include "verify/Evidence/Circumstances.h"
#include "verify/Evidence/Features.h"
#include "verify/Evidence/Lags.h"
#include "verify/Metrics/Element.h"

namespace tilerig::verify {

struct Measured {
  const Comparison &comparison;
  const Rule &rule;
  DType type; // element type of the target
  const Shape &shape;
  const Place &place;
  const Stretch &stretch;
  const Lags &lags;
  uint64_t isolatedDifferent, varying;
};

Features measureFeatures(const Measured &measured, const Circumstances &circumstances);

// The feature among isConv ... isOtherLayer that stands for a kind of layer, as programs name it.
Feature featureOfKind(std::string_view layerKind);

} // namespace tilerig::verify
