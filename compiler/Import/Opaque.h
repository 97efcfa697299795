// Nodes that are kept as they are, in operations `graph.opaque`: operators without an operation of their own,
// and others in forms that have none, a shape computed from values for example.
//
// What such a node gives is what the standard says (HostTypes.h), or else what the model states. A size that
// neither knows is open in the type. A node of which nothing is known is refused; so is one that would mean
// something else in the newest operator set, unless it can be said there too.
#pragma once

#include "compiler/Import/Operators.h"

namespace tilerig {

// The domain of a node's operator; empty for ONNX's own, which has two names.
std::string domainOf(const NodeReader &node);

// The type that the model states for a tensor; null for none.
using StatedType = std::function<mlir::RankedTensorType(const std::string &name)>;

ImportedValues keepNode(const NodeReader &node, mlir::OpBuilder &builder, const StatedType &statedType);

} // namespace tilerig
