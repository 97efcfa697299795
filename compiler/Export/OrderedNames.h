// Names of ONNX tensors for values whose axes may be in another order than in the model: the machine's images
// are batch, rows, columns, channels, but the model's tensors have the channels first.
//
// An order says where the axes of an exported tensor come from: axis i of the tensor is axis order[i] of the
// value. Each value is exported in the order of the model (its home order). Where a node needs another order,
// a Transpose is written once and reused.
#pragma once

#include "compiler/Export/NodeWriter.h"

#include <map>

namespace tilerig::compiler {

using Order = llvm::SmallVector<int64_t>;

Order identityOrder(size_t rank);
// The `perm` of the Transpose from a tensor in order `from` to one in order `to`.
Order between(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);
bool isIdentity(llvm::ArrayRef<int64_t> order);
// The `ends` value of an ONNX Slice. To include element 0 with a negative step, it is far below zero, as -1
// would mean the last element.
int64_t endOfSlice(int64_t start, int64_t step, int64_t count);

class OrderedNames {
public:
  explicit OrderedNames(ModelWriter &writer) : writer(writer) {}

  llvm::ArrayRef<int64_t> homeOf(mlir::Value value);
  void setHome(mlir::Value value, Order order) { homes[value] = std::move(order); }
  // Each result that is exported in the model's axis order gets the name of the model's tensor that it holds.
  void nameResults(mlir::Operation *operation);
  // Name of the tensor that holds a value in this axis order. A constant is written on first use, with its
  // elements in that order.
  std::string in(mlir::Value value, llvm::ArrayRef<int64_t> order);
  std::string home(mlir::Value value) { return in(value, homeOf(value)); }
  // Whether a tensor that holds the value in this axis order exists already, so that no Transpose is needed.
  bool isAtHand(mlir::Value value, llvm::ArrayRef<int64_t> order);
  // Any existing tensor that holds the value, and its axis order; if possible the one in home order (the
  // order of the model).
  std::pair<std::string, Order> anywhere(mlir::Value value);
  // Registers that the tensor `name` holds `value` with its axes in this order.
  void define(mlir::Value value, llvm::ArrayRef<int64_t> order, const std::string &name);
  // Name that a node must use for its result, which is the value in this axis order: in home order (the order
  // of the model) the name of the value, else a fresh name.
  std::string forResult(mlir::Value value, llvm::ArrayRef<int64_t> order);

  // Registers the tensor that holds the sum of a product before the addend is added and the function applied;
  // only for products with an addend or a function.
  void setSum(mlir::Operation *product, const std::string &name) { sums[product] = name; }
  std::string sumOf(mlir::Operation *product) const { return sums.lookup(product); }

private:
  ModelWriter &writer;
  llvm::DenseMap<mlir::Operation *, std::string> sums;
  llvm::DenseMap<mlir::Value, Order> homes;
  llvm::DenseMap<mlir::Value, std::map<Order, std::string>> names;
};

} // namespace tilerig::compiler
