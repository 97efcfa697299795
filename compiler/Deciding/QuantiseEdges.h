// Inputs and outputs as 8-bit integers: the host converts them, and no layer at the edges of the module does.
#pragma once

#include "compiler/Precision/QuantisedEdges.h"
#include "isa/Support/Error.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig {

// Only inputs and outputs that are floats; an error where one is not quantised, or is read with several
// scales.
Status quantiseEdges(mlir::func::FuncOp function, const QuantisedEdges &edges);

} // namespace tilerig
