// What the listing states about each kind of layer: name of the kind, attributes, activation function.
#pragma once

#include "compiler/Layer/Facts/Cards.h"

namespace tilerig::compiler {

// The name of the layer's kind: "Conv", "MaxPool", "ReduceMean", the operator of a host layer, ...
std::string kindOf(mlir::Operation *layer);
std::vector<CardAttribute> attributesOf(mlir::Operation *layer);
// The activation function of a layer, as "relu", "clip(0, 6)" or "none"; empty for kinds of layers that have
// none.
std::string activationOf(mlir::Operation *layer);

} // namespace tilerig::compiler
