// The same for machines, as JSON: README.md states the form.
#pragma once

#include "compiler/Listing/Cards.h"

#include <map>
#include <nlohmann/json_fwd.hpp>

namespace tilerig {

// The operators of ONNX nodes, by the nodes' names, as far as they are known.
using NodeTypes = std::map<std::string, std::string>;

nlohmann::json layerMetadata(const std::vector<Card> &cards, const Machine &machine, const NodeTypes &types);
// Of a function on the level `graph`.
nlohmann::json graphMetadata(mlir::func::FuncOp function, const NodeTypes &types);

} // namespace tilerig
