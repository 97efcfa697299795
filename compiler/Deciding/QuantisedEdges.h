// What the host hands over and takes back as 8-bit integers. It converts then, by the scale and zero point of
// the input or output, and nothing is left to convert at the edges of the module.
#pragma once

#include "compiler/Precision/ActivationParameters.h"
#include "isa/Support/Error.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <optional>

namespace tilerig {

struct QuantisedEdges {
  std::optional<QuantisedType> inputs, outputs; // none: as the model has them
};

// Inputs and outputs that are floats; refused where one is not quantised, or in several ways.
Status quantiseEdges(mlir::func::FuncOp function, const QuantisedEdges &edges);

} // namespace tilerig
