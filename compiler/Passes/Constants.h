// Constants as patterns see them.
#pragma once

#include "compiler/Dialect/Graph/Graph.h"

#include <mlir/IR/PatternMatch.h>
#include <optional>
#include <vector>

namespace tilerig {

using Doubles = std::vector<double>;

// The elements of a constant of any float type; none of anything else.
std::optional<Doubles> doublesOf(mlir::Value value);
// The one value of a constant whose elements are all the same.
std::optional<double> scalarOf(mlir::Value value);
// Whether a constant is this number everywhere, as its type holds it.
bool isNumber(mlir::Value value, double number);
// The same of any type, integers too, and to the bit: -0 is not 0.
bool isExactly(mlir::Value value, double number);

// Whether all are finite numbers once they are rounded to that type.
bool isFiniteAs(mlir::Type element, const Doubles &values);

// A new constant; `values` are rounded to the element type once.
mlir::Value constantOf(mlir::PatternRewriter &rewriter, mlir::Location location, const Doubles &values,
                       mlir::Type element, llvm::ArrayRef<int64_t> shape, llvm::StringRef name);

// The other operand of a commutative operation, if one is `operand`.
inline mlir::Value other(mlir::Operation *operation, mlir::Value operand) {
  if (operation->getOperand(0) == operand)
    return operation->getOperand(1);
  return operation->getOperand(1) == operand ? operation->getOperand(0) : mlir::Value();
}

} // namespace tilerig
