// Lets the host convert between reals and 8-bit integers at inputs and outputs of the network, so that the
// module needs no conversion layers there.
#pragma once

#include "compiler/Planning/Quantisation/QuantisedEdges.h"
#include "isa/Base/Support/Error.h"

#include <memory>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Pass/Pass.h>
#include <string>

namespace tilerig::compiler {

// Affects only float inputs and outputs. Inputs and outputs for which `edges` names a type become integers of
// that type. Returns an error if one of them has no quantised type, or is read with several scales. Other
// outputs stay float32 for users, but leave the machine as 8-bit integers if the last layers compute such
// integers.
Status quantiseEdges(mlir::func::FuncOp function, const QuantisedEdges &edges);
// Creates the pass quantise-edges. `model` is the name of the model's file, for error messages.
std::unique_ptr<mlir::Pass> createQuantiseEdges(const QuantisedEdges &edges, std::string model);

} // namespace tilerig::compiler
