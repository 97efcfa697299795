// Options: whether inputs and outputs of a program are 8-bit integers instead of floats. This header does not
// include MLIR, so its users do not depend on it.
#pragma once

#include "compiler/Planning/Quantisation/ActivationParameters.h"

#include <optional>

namespace tilerig::compiler {

// Integer types of the program's inputs and outputs. The host passes integers, which it converts with the
// scale and zero point of each input or output. If no type is given, inputs and outputs have the types of the
// model.
struct QuantisedEdges {
  std::optional<QuantisedType> inputs, outputs;
};

} // namespace tilerig::compiler
