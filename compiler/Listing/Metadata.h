// The same for machines, as JSON: README.md states the form.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/Listing/Cards.h"

#include <map>
#include <nlohmann/json_fwd.hpp>

namespace tilerig {

// The operators of ONNX nodes, by the nodes' names, as far as they are known.
using NodeTypes = std::map<std::string, std::string>;

// `emitted`, if there is one, is what the layers were written as.
nlohmann::json layerMetadata(const std::vector<Card> &cards, const Machine &machine, const NodeTypes &types,
                             const ExportedModel *emitted);
// Of a function on the level `graph`.
nlohmann::json graphMetadata(mlir::func::FuncOp function, const NodeTypes &types);

} // namespace tilerig
