// Where operations and their results come from: the model's nodes and tensors, as locations say it.
//
//   "node"("tensor")                       a node and the tensor that it gives
//   "node"(fused["first", "second"])       … or several
//   fused["conv"("c"), "relu"("r")]        made of several nodes, in order; gives what the last one gives
//   "node"(fused<ORDER>["tensor"])         the tensor with its axes in another order, as an OrderAttr says
//   "node"                                 on the way to what a node gives: no tensor of the model
//
// Constants and arguments that are the model's own are just "tensor".
#pragma once

#include "compiler/Dialect/Graph/Graph.h"

#include <optional>
#include <string>

namespace tilerig::graph {

using Order = llvm::SmallVector<int64_t>;

// A tensor of the model, and where its axes are: axis i is axis order[i] of the value.
struct TensorOrigin {
  std::string name;
  Order order; // empty: as in the model
};

// The nodes that an operation was made of, in order.
llvm::SmallVector<std::string> nodeNames(mlir::Location location);
// The last of them; empty if there is none.
std::string nodeName(mlir::Location location);
// The name of the tensor that a result is, in whatever order; empty if it is none.
std::string resultName(mlir::Location location, unsigned index);
// The model's tensor that a value is, if it is one.
std::optional<TensorOrigin> tensorOrigin(mlir::Value value);

// The nodes of a location, with another tensor as its one result, or with none.
mlir::Location withTensor(mlir::Location location, const std::optional<TensorOrigin> &tensor);
// The nodes of all these, each once; the tensors of the last.
mlir::Location fusedLocation(llvm::ArrayRef<mlir::Location> locations);

// For what the compiler adds behind a value: the nodes of the value, and the tensor that it gives.
mlir::Location locationBehind(mlir::Value value, const std::optional<TensorOrigin> &tensor);

// Where a value's tensor is after transpose(value, perm).
std::optional<TensorOrigin> transposed(std::optional<TensorOrigin> tensor, llvm::ArrayRef<int64_t> perm);
// The permutation that takes another one back.
Order inverse(llvm::ArrayRef<int64_t> perm);

} // namespace tilerig::graph
