// Looks up from which ONNX operators a layer was made.
#pragma once

#include <map>
#include <string>

namespace tilerig::compiler {

// The operator type of each node of the model, by the node's name.
using NodeTypes = std::map<std::string, std::string>;

} // namespace tilerig::compiler
