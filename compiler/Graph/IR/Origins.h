// Which nodes and tensors of the ONNX model an operation and its results come from, encoded in MLIR
// locations.
//
//   "node"("tensor")                       a node and the tensor that it computes
//   "node"(fused["first", "second"])       a node with several results
//   fused["conv"("c"), "relu"("r")]        made of several nodes, in order; computes the last node's result
//   "node"(fused<ORDER>["tensor"])         the tensor with its axes in another order, given as an OrderAttr
//   "node"                                 an intermediate result of the node: not a tensor of the model
//
// Constants and arguments that are the model's own have the location "tensor".
#pragma once

#include "compiler/Graph/IR/Graph.h"

#include <optional>
#include <string>

namespace tilerig::compiler::graph {

using Order = llvm::SmallVector<int64_t>;

// A tensor of the model that a value holds, and its axis order: axis i of the tensor is axis order[i] of the
// value.
struct TensorOrigin {
  std::string name;
  Order order; // empty: tensor and value have the same order of axes
};

// Names of the nodes that an operation was made of, in order.
llvm::SmallVector<std::string> nodeNames(mlir::Location location);
// Name of the last node that an operation was made of; empty if it was made of none.
std::string nodeName(mlir::Location location);
// Name of the model's tensor that result `index` of the operation holds, in any axis order; empty if it holds
// no tensor of the model.
std::string resultName(mlir::Location location, unsigned index);
// The model's tensor that a value holds, if any.
std::optional<TensorOrigin> tensorOrigin(mlir::Value value);

// The location of an operation with one result, changed to state that the result holds `tensor`, or, if
// `tensor` is empty, that the result holds no tensor of the model.
mlir::Location withTensor(mlir::Location location, const std::optional<TensorOrigin> &tensor);
// Merges locations: each node once, in order; the tensors are those of the last node.
mlir::Location fusedLocation(llvm::ArrayRef<mlir::Location> locations);

// Location for an operation that the compiler inserts behind a value: the nodes of the value, and the tensor
// of the model that the result of the operation holds, if any.
mlir::Location locationBehind(mlir::Value value, const std::optional<TensorOrigin> &tensor);

// The tensor that transpose(value, perm) holds if `value` holds `tensor`: the same one in another axis order.
std::optional<TensorOrigin> transposed(std::optional<TensorOrigin> tensor, llvm::ArrayRef<int64_t> perm);
// The inverse permutation.
Order inverse(llvm::ArrayRef<int64_t> perm);

} // namespace tilerig::compiler::graph
