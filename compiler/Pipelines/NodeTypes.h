// Looks up the ONNX operator types of the nodes of a model.
#pragma once

#include "compiler/Graph/Import/OnnxFile.h"
#include "compiler/Layer/Facts/NodeTypes.h"

namespace tilerig::compiler {

// The operator type of every node, by the node's name. Unnamed nodes have the names chosen by the importer.
NodeTypes nodeTypesOf(const OnnxFile &file);

} // namespace tilerig::compiler
