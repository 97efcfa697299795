// Models whose layers read given tensors instead of those that the layers before them compute. A single run then
// computes each layer from given operands.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "reference/Model/Graph.h"

namespace tilerig::verify {

// Replaces computed tensors of a graph by graph inputs: all nodes that read such a tensor read the input instead.
// Returns the substitutes that are read now, by the names of these inputs. A substitute that no node computes, such
// as a constant, is not used.
Result<TensorMap> readGiven(reference::Graph &graph, const TensorMap &substitutes);

} // namespace tilerig::verify
