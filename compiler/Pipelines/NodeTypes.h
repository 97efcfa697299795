// Looks up the ONNX operator types of the nodes of a model.
#pragma once

#include "compiler/Graph/Import/OnnxFile.h"
#include "compiler/Layer/Facts/NodeTypes.h"

namespace tilerig::compiler {

// The operator type of every node, by its name. Unnamed nodes have the names that the importer gives them.
NodeTypes nodeTypesOf(const OnnxFile &file);

} // namespace tilerig::compiler
