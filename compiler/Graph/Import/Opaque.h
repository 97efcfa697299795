// Imports nodes unchanged as operations `graph.opaque`: operators that have no operation of their own, and
// unsupported forms of other operators, for example with a shape that is computed from values.
//
// The result types come from the ONNX standard (HostTypes.h), or else from the model's declarations. Sizes
// that neither states are dynamic. Nodes without known result types are refused. So are nodes of old operator
// sets whose meaning has changed, unless they can be converted to the newest set.
#pragma once

#include "compiler/Graph/Import/Operators.h"

namespace tilerig::compiler {

// The domain of a node's operator; empty for ONNX's own domain, whichever of its two names the model uses.
std::string domainOf(const NodeReader &node);

// The type that the model declares for a tensor; null if it declares none.
using StatedType = std::function<mlir::RankedTensorType(const std::string &name)>;

ImportedValues keepNode(const NodeReader &node, mlir::OpBuilder &builder, const StatedType &statedType);

} // namespace tilerig::compiler
