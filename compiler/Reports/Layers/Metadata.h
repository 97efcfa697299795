// Layer metadata as JSON, the machine-readable form of the listing; README.md describes the format.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/Layer/Facts/Cards.h"
#include "compiler/Layer/Facts/NodeTypes.h"

#include <nlohmann/json_fwd.hpp>

namespace tilerig::compiler {

// Metadata of the layers of a network. `emitted` has the names of tensors in the exported ONNX model of the
// layers; it may be null.
nlohmann::json layerMetadata(const std::vector<Card> &cards, const Machine &machine, const NodeTypes &types,
                             const TensorNames *emitted);
// Metadata of a function on the MLIR level `graph`, whose operations are ONNX operators.
nlohmann::json graphMetadata(mlir::func::FuncOp function, const NodeTypes &types);

} // namespace tilerig::compiler
