// How facts are found (Facts.h): from what was compared and counted, and from a stretch of elements.
#pragma once

#include "verify/Evidence/Circumstances.h"
#include "verify/Evidence/Facts.h"
#include "verify/Evidence/Lags.h"
#include "verify/Metrics/Element.h"

namespace tilerig::verify {

struct Measured {
  const Comparison &comparison;
  const Rule &rule;
  DType type; // of the target
  const Shape &shape;
  const Place &place;
  const Stretch &stretch;
  const Lags &lags;
  uint64_t isolatedDifferent, varying;
};

Facts measureFacts(const Measured &measured, const Circumstances &circumstances);

// The kinds of layers that programs name, as one of the facts isConv .. isOtherLayer.
Fact factOfKind(std::string_view layerKind);

} // namespace tilerig::verify
