// Creates the operations that replace one operation on tensors: elementwise operations, matrix products, and
// operations that move elements. All get the location of the replaced operation, without the name of a tensor
// of the model.
#pragma once

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"

#include <mlir/IR/PatternMatch.h>

namespace tilerig::compiler {

class ElementBuilder {
public:
  using Dims = graph::Dims;

  ElementBuilder(mlir::PatternRewriter &rewriter, mlir::Operation *replaced)
      : rewriter(rewriter), location(graph::withTensor(replaced->getLoc(), {})) {}

  template <class Op, class... Parts>
  mlir::Value make(Parts &&...parts) {
    return Op::create(rewriter, location, std::forward<Parts>(parts)...).getResult();
  }

  // A scalar of the element type of `like`.
  mlir::Value number(double number, mlir::Value like);
  mlir::Value add(mlir::Value a, mlir::Value b) { return make<graph::AddOp>(a, b); }
  mlir::Value subtract(mlir::Value a, mlir::Value b) { return make<graph::SubOp>(a, b); }
  mlir::Value multiply(mlir::Value a, mlir::Value b) { return make<graph::MulOp>(a, b); }
  mlir::Value scale(mlir::Value value, double factor) {
    return factor == 1 ? value : multiply(value, number(factor, value));
  }
  mlir::Value product(mlir::Value a, mlir::Value b) { return make<graph::MatMulOp>(a, b); }
  mlir::Value clip(mlir::Value value, double low, double high) {
    return make<graph::ClipOp>(value.getType(), value, number(low, value), number(high, value));
  }

  mlir::Value reshape(mlir::Value value, const Dims &shape);
  mlir::Value expand(mlir::Value value, const Dims &shape);
  mlir::Value transpose(mlir::Value value, const Dims &perm);
  // `count` indices of an axis, from `first` on.
  mlir::Value slice(mlir::Value value, size_t axis, int64_t first, int64_t count);
  // Reverses the order of the indices of an axis.
  mlir::Value reverse(mlir::Value value, size_t axis);
  mlir::Value concat(mlir::ValueRange values, size_t axis);
  // Adds `count` zeros at the end of an axis.
  mlir::Value padEnd(mlir::Value value, size_t axis, int64_t count);

private:
  mlir::PatternRewriter &rewriter;
  mlir::Location location;
};

} // namespace tilerig::compiler
