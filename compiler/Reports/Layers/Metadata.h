// Layer metadata as JSON, the machine-readable form of the listing; README.md describes the format.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/Layer/Facts/Cards.h"

#include <map>
#include <nlohmann/json_fwd.hpp>

namespace tilerig::compiler {

// ONNX operator types by node name, as far as known.
using NodeTypes = std::map<std::string, std::string>;

// `emitted`: the exported ONNX model of the layers, or null.
nlohmann::json layerMetadata(const std::vector<Card> &cards, const Machine &machine, const NodeTypes &types,
                             const ExportedModel *emitted);
// Metadata of a function on the MLIR level `graph`.
nlohmann::json graphMetadata(mlir::func::FuncOp function, const NodeTypes &types);

} // namespace tilerig::compiler
