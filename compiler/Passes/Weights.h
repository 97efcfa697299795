// Convolutions and matrix products as passes see them that fold constants into weights and biases.
#pragma once

#include "compiler/Passes/Constants.h"

namespace tilerig {

// An operation with weights: conv, conv_transpose, gemm, or a matmul whose second operand has rows and
// columns.
class Weighted {
public:
  static std::optional<Weighted> of(mlir::Operation *operation);

  mlir::Operation *operation() const { return op; }
  mlir::Value input() const { return op->getOperand(0); }
  mlir::Value output() const { return op->getResult(0); }
  // Where channels, or columns, are in the input and in the output.
  size_t inputAxis() const;
  size_t outputAxis() const;
  // Whether each output sums up the same weights: not where padding cuts some off.
  bool isUniform() const;

  // The elements of constant weights; those of the bias, zeros if there is none, nothing if it is not known.
  std::optional<Doubles> weights() const { return doublesOf(op->getOperand(1)); }
  std::optional<Doubles> bias() const;
  // What products are multiplied with before the bias is added.
  double factor() const;
  // The input and the output that an element of the weights connects.
  size_t inputOf(size_t element) const;
  size_t outputOf(size_t element) const;
  // The element that connects them, of a product.
  size_t elementOf(size_t input, size_t output) const {
    return outputsFirst ? output * numInputs + input : input * numOutputs + output;
  }

  // Puts other constants in their place. Refused, and nothing changed, if one of them is not finite as its
  // type holds it, or if a matmul would need a bias and cannot become a gemm. The result may be another
  // operation.
  std::optional<Weighted> with(mlir::PatternRewriter &rewriter, const std::optional<Doubles> &weights,
                               const std::optional<Doubles> &bias, mlir::Location location) const;

  // Puts element i of constant weights at placeOf(i), bit for bit; false if they are not constant. They
  // stay in their type: doubles of large weights would be most of the memory that the compiler takes.
  bool reorder(mlir::PatternRewriter &rewriter, llvm::function_ref<size_t(size_t)> placeOf) const;

private:
  Weighted(mlir::Operation *operation, bool hasOutputsFirst, size_t groups);

  mlir::Operation *op;
  bool outputsFirst;                            // the axis of outputs is before that of inputs
  size_t groups, numInputs, numOutputs, kernel; // elements of one kernel
};

// The elements of a constant along one axis of `shape`, to which it broadcasts without differing along
// others.
std::optional<Doubles> alongAxis(mlir::Value constant, llvm::ArrayRef<int64_t> shape, size_t axis);

} // namespace tilerig
