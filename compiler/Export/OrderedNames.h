// ONNX tensors of values whose axes stand in another order than the model's.
//
// A layer's image is batch, rows, columns, channels; the model's tensor that it is has channels in front. An
// order says where the axes of a written tensor come from: axis i of it is axis order[i] of the value. Each
// value is written in its home order, that of the model; where a node wants another, a Transpose is written,
// once.
#pragma once

#include "compiler/Export/NodeWriter.h"

#include <map>

namespace tilerig {

using Order = llvm::SmallVector<int64_t>;

Order identityOrder(size_t rank);
// From a tensor in order `from` to one in order `to`: the `perm` of a Transpose.
Order between(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);
bool isIdentity(llvm::ArrayRef<int64_t> order);
// As ONNX's Slice states it. Before the first element is far below zero, as -1 would be the last.
int64_t endOfSlice(int64_t start, int64_t step, int64_t count);

class OrderedNames {
public:
  explicit OrderedNames(ModelWriter &writer) : writer(writer) {}

  llvm::ArrayRef<int64_t> homeOf(mlir::Value value);
  void setHome(mlir::Value value, Order order) { homes[value] = std::move(order); }
  // Results that are written as the model has them have the model's names.
  void nameResults(mlir::Operation *operation);
  // The tensor of a value in an order. Constants of layers are written when they are first asked for, with
  // their elements in that order.
  std::string in(mlir::Value value, llvm::ArrayRef<int64_t> order);
  std::string home(mlir::Value value) { return in(value, homeOf(value)); }
  // Whether in() writes no Transpose.
  bool isAtHand(mlir::Value value, llvm::ArrayRef<int64_t> order);
  // A tensor that a value is, at home if it is written so, and its order.
  std::pair<std::string, Order> anywhere(mlir::Value value);
  // A value that is written already: `name` holds it in `order`.
  void define(mlir::Value value, llvm::ArrayRef<int64_t> order, const std::string &name);
  // The name under which a node has to write a value in an order: its own at home, else a fresh one.
  std::string forResult(mlir::Value value, llvm::ArrayRef<int64_t> order);

  // The tensor that a product makes before its addend and function, where it has one of these.
  void setSum(mlir::Operation *product, const std::string &name) { sums[product] = name; }
  std::string sumOf(mlir::Operation *product) const { return sums.lookup(product); }

private:
  ModelWriter &writer;
  llvm::DenseMap<mlir::Operation *, std::string> sums;
  llvm::DenseMap<mlir::Value, Order> homes;
  llvm::DenseMap<mlir::Value, std::map<Order, std::string>> names;
};

} // namespace tilerig
