// What each kind of layer says of itself.
#pragma once

#include "compiler/Listing/Cards.h"

namespace tilerig {

// "Conv", "MaxPool", "ReduceMean", the operator of the host, …
std::string kindOf(mlir::Operation *layer);
std::vector<CardFact> factsOf(mlir::Operation *layer);
// "relu", "clip(0, 6)", "none"; empty where no function can be.
std::string activationOf(mlir::Operation *layer);

} // namespace tilerig
