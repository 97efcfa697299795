// Parameters of each kind of layer for the listing: kind name, further parameters, activation.
#pragma once

#include "compiler/Listing/Cards.h"

namespace tilerig::compiler {

// The name of its kind: "Conv", "MaxPool", "ReduceMean", the operator of a host layer, ...
std::string kindOf(mlir::Operation *layer);
std::vector<CardFact> factsOf(mlir::Operation *layer);
// "relu", "clip(0, 6)", "none"; empty for kinds without an activation function.
std::string activationOf(mlir::Operation *layer);

} // namespace tilerig::compiler
