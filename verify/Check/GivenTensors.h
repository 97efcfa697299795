// Models whose layers read given tensors instead of those that the layers before them compute. A single run then
// computes each layer from given operands.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "reference/Model/Graph.h"

namespace tilerig::verify {

// The name of the graph input that replaces a tensor.
std::string givenName(const std::string &tensor);

// Replaces computed tensors of a graph by graph inputs: all nodes that read such a tensor read the input
// instead.
void readGiven(reference::Graph &graph, const TensorMap &substitutes);

} // namespace tilerig::verify
