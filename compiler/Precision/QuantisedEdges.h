// Which inputs and outputs of a program are 8-bit integers. No MLIR in here, so that callers need not see it.
#pragma once

#include "compiler/Precision/ActivationParameters.h"

#include <optional>

namespace tilerig {

// What the host hands over and takes back as 8-bit integers, converted by the scale and zero point of the
// input or output. Without a type, inputs and outputs are as the model has them.
struct QuantisedEdges {
  std::optional<QuantisedType> inputs, outputs;
};

} // namespace tilerig
