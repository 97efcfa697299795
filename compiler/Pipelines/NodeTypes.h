// Looks up the ONNX operator types of the nodes from which layers were made.
#pragma once

#include "compiler/Graph/Import/OnnxFile.h"
#include "compiler/Reports/Layers/Metadata.h"
#include "compiler/Tile/Ops/DeviceNetwork.h"

namespace tilerig::compiler {

// The operator type of every node, by its name. Unnamed nodes have the names that the importer gives them.
NodeTypes nodeTypesOf(const OnnxFile &file);
// Stores in each layer of `network` the ONNX operator types of its nodes, as far as `types` has them. It has
// none if the module was read from its text form.
void nameOperators(const NodeTypes &types, DeviceNetwork &network);

} // namespace tilerig::compiler
