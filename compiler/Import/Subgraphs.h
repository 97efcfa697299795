// Nodes with graphs inside, If, Loop and Scan: what they come to when all that decides it is known.
//
// An If is the branch that is taken. A loop is its body, again and again, as long as that is known to be of a
// bounded number of steps; others are refused with the reason.
#pragma once

#include "compiler/Import/GraphImporter.h"

namespace tilerig {

bool hasSubgraph(const onnx::NodeProto &node);
ImportedValues inlineSubgraphs(GraphImporter &around, const NodeReader &node);

} // namespace tilerig
