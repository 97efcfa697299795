// Imports nodes with subgraphs: If, Loop and Scan.
//
// An If whose condition is a known constant becomes the branch taken; else both branches are computed, and
// the condition selects between their results. A loop with a known and bounded number of iterations is
// unrolled; any other loop is kept as a whole, for the framework (KeptGraphs.h).
#pragma once

#include "compiler/Graph/Import/GraphImporter.h"

namespace tilerig::compiler {

bool hasSubgraph(const onnx::NodeProto &node);
ImportedValues importSubgraphs(GraphImporter &around, const NodeReader &node);

} // namespace tilerig::compiler
