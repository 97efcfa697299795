// Makes inputs and outputs of a program 8-bit integers: the host converts them, so the module needs no
// conversion layers for them.
#pragma once

#include "compiler/Precision/QuantisedEdges.h"
#include "isa/Support/Error.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig::compiler {

// Affects only float inputs and outputs. Returns an error if one of them has no quantised type or is read
// with several scales.
Status quantiseEdges(mlir::func::FuncOp function, const QuantisedEdges &edges);

} // namespace tilerig::compiler
