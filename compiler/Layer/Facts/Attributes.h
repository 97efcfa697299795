// Attributes and activation functions of layers, as tilerig compile --report lists them.
#pragma once

#include "compiler/Layer/Facts/Cards.h"

namespace tilerig::compiler {

std::vector<CardAttribute> attributesOf(mlir::Operation *layer);
// The activation function of a layer, such as "relu", "clip(0, 6)" or "none"; empty for kinds of layers that
// have none.
std::string activationOf(mlir::Operation *layer);

} // namespace tilerig::compiler
