// Tensors that are wrong like nothing in the catalogue: a classifier that has seen some learns where its
// knowledge ends (D. Hendrycks and others: Deep anomaly detection with outlier exposure, 2019).
#pragma once

#include "isa/Tensor/Tensor.h"
#include "verify/Samples/Draw.h"

#include <string>

namespace tilerig::verify {

// How origins call it, in the place of a row of the catalogue.
inline constexpr const char *unlikeBug = "unlike";

struct Corrupted {
  Tensor tensor;
  std::string words; // "shuffled in a range, signs everywhere"
};
// One or two corruptions, each of some of the elements; of bytes and places alone, so that any type will do.
Corrupted corrupt(const Tensor &tensor, Draw &draw);

} // namespace tilerig::verify
