// Imports nodes unchanged as operations `graph.opaque`: operators that have no operation of their own, and
// unsupported forms of other operators, for example with a shape that is computed from values.
//
// The result types come from the ONNX standard (HostTypes.h), or else from the model's declarations. Sizes
// that neither states are dynamic. Nodes without known result types are refused. So are nodes of old operator
// sets whose meaning has changed, unless they can be converted to the newest set.
#pragma once

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/Import/Operators.h"

namespace tilerig::compiler {

// The domain of a node's operator; empty for ONNX's own domain, whichever of its two names the model uses.
std::string domainOf(const NodeReader &node);

// The type that the model declares for a tensor; null if it declares none.
using StatedType = std::function<mlir::RankedTensorType(const std::string &name)>;

ImportedValues keepNode(const NodeReader &node, mlir::OpBuilder &builder, const StatedType &statedType);
// Imports a Loop or Scan with its body, which reads the values `captured` of the graph around it.
ImportedValues keepNodeWithBody(const NodeReader &node, mlir::OpBuilder &builder,
                                llvm::ArrayRef<mlir::RankedTensorType> types, graph::BodyAttr body,
                                const Values &captured);

// Whether a node of this operator means the same in the given operator set as in the newest one, so that it
// can be exported as it is.
bool isUnchanged(const std::string &type, int64_t opset);

// The type `known`, with its dynamic sizes taken from the type that the model declares, `stated`, which may be
// null.
mlir::RankedTensorType mergedTypes(mlir::RankedTensorType known, mlir::RankedTensorType stated);

} // namespace tilerig::compiler
