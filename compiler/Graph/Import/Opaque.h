// Imports nodes unchanged as operations `graph.opaque`: operators that have no operation of their own, and
// unsupported forms of other operators, for example with a shape that is computed from values.
//
// The result types come from the ONNX standard (HostTypes.h), or else from the model's declarations. Sizes
// that neither states are dynamic. Nodes without known result types are refused. So are nodes of old operator
// sets whose meaning has changed, unless they can be converted to the newest set.
#pragma once

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/Import/Operators.h"

#include <map>

namespace tilerig::compiler {

// The domain of a node's operator; empty for ONNX's own domain, whichever of its two names the model uses.
std::string domainOf(const NodeReader &node);
// The name of a node's operator: its op_type, preceded by its domain and a full stop unless that is ONNX's own.
std::string operatorName(const NodeReader &node);

// The type that the model declares for a tensor; null if it declares none.
using StatedType = std::function<mlir::RankedTensorType(const std::string &name)>;

ImportedValues keepNode(const NodeReader &node, mlir::OpBuilder &builder, const StatedType &statedType);
// Keeps a node whose layers need more memory than a tile has, although its operator has an operation of its own.
// `types`: those of its results.
ImportedValues keepTooLargeNode(const NodeReader &node, mlir::OpBuilder &builder,
                                llvm::ArrayRef<mlir::Type> types);
// A subgraph of a node, and the values of the graph around it that it reads.
struct KeptGraph {
  graph::BodyAttr attribute;
  Values captured;
};
// Imports a node with these subgraphs, by the names of their attributes.
ImportedValues keepNodeWithGraphs(const NodeReader &node, mlir::OpBuilder &builder,
                                  llvm::ArrayRef<mlir::RankedTensorType> types,
                                  const std::map<std::string, KeptGraph> &graphs);

// Whether a node of this operator means the same in the given operator set as in the newest one, so that it
// can be exported as it is.
bool isUnchanged(const std::string &type, int64_t opset);

// The type `known`, with its dynamic sizes taken from the type that the model declares, `stated`, which may be
// null.
mlir::RankedTensorType mergedTypes(mlir::RankedTensorType known, mlir::RankedTensorType stated);

} // namespace tilerig::compiler
