// Imports nodes with subgraphs (If, Loop and Scan) by inlining them.
//
// An If whose condition is a known constant becomes the branch taken. A loop with a known and bounded number
// of iterations is unrolled. Other nodes with subgraphs are refused with the reason.
#pragma once

#include "compiler/Graph/Import/GraphImporter.h"

namespace tilerig::compiler {

bool hasSubgraph(const onnx::NodeProto &node);
ImportedValues inlineSubgraphs(GraphImporter &around, const NodeReader &node);

} // namespace tilerig::compiler
