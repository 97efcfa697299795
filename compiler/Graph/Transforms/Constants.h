// Access to the elements of constants, for rewrite patterns.
#pragma once

#include "compiler/Graph/IR/Graph.h"

#include <mlir/IR/PatternMatch.h>
#include <optional>
#include <vector>

namespace tilerig::compiler {

using Doubles = std::vector<double>;

// The elements of a constant of any float type; empty for other values.
std::optional<Doubles> doublesOf(mlir::Value value);
// The value of a constant whose elements are all equal; empty if they differ or the value is no constant.
std::optional<double> scalarOf(mlir::Value value);
// Whether all elements of a constant equal this number, rounded to the constant's type.
bool isNumber(mlir::Value value, double number);
// Whether all elements of a constant (floats or integers) equal this number bit for bit, so that -0 differs
// from 0.
bool isExactly(mlir::Value value, double number);

// Whether all values stay finite when rounded to the type `element`.
bool isFiniteAs(mlir::Type element, const Doubles &values);

// Creates a constant from `values`, each of which is rounded once, directly to the element type.
mlir::Value constantOf(mlir::PatternRewriter &rewriter, mlir::Location location, const Doubles &values,
                       mlir::Type element, llvm::ArrayRef<int64_t> shape, llvm::StringRef name);

// For a commutative operation one of whose operands is `operand`, returns the other operand; null if neither
// is.
inline mlir::Value other(mlir::Operation *operation, mlir::Value operand) {
  if (operation->getOperand(0) == operand)
    return operation->getOperand(1);
  return operation->getOperand(1) == operand ? operation->getOperand(0) : mlir::Value();
}

} // namespace tilerig::compiler
