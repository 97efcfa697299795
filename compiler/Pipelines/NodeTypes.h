// Looks up the ONNX operator types of the nodes of a model.
#pragma once

#include "compiler/Graph/Import/OnnxFile.h"
#include "compiler/Layer/Facts/NodeTypes.h"

namespace tilerig::compiler {

// The ONNX operator type of every node, by the node's name. The importer has given names to nodes that the
// model leaves unnamed.
NodeTypes nodeTypesOf(const OnnxFile &file);

} // namespace tilerig::compiler
