// Common interface of convolutions and matrix products, for passes that fold constants into weights and
// biases.
#pragma once

#include "compiler/Graph/Transforms/Constants.h"

namespace tilerig::compiler {

// An operation with weights: conv, conv_transpose, gemm, or a matmul whose second operand is a matrix.
class Weighted {
public:
  static std::optional<Weighted> of(mlir::Operation *operation);

  mlir::Operation *operation() const { return op; }
  mlir::Value input() const { return op->getOperand(0); }
  mlir::Value output() const { return op->getResult(0); }
  // The axis with the channels (of images) or columns (of matrices), in the operation's input and in its
  // output.
  size_t inputAxis() const;
  size_t outputAxis() const;
  // Whether every output position sums over all weights of its channel: with padding, some weights are left
  // out at the border.
  bool isUniform() const;

  // The elements of the weights and of the bias; empty if they are not constant. The elements of a missing
  // bias are zeros.
  std::optional<Doubles> weights() const { return doublesOf(op->getOperand(1)); }
  std::optional<Doubles> bias() const;
  // Factor by which sums of products are multiplied before the bias is added, such as the alpha of Gemm.
  double factor() const;
  // For one element of the weights: the index of the input channel and of the output channel that it
  // connects.
  size_t inputOf(size_t element) const;
  size_t outputOf(size_t element) const;
  // For matrix products: the index of the weight that connects this input with this output.
  size_t elementOf(size_t input, size_t output) const {
    return outputsFirst ? output * numInputs + input : input * numOutputs + output;
  }

  // Replaces weights and bias by these constants. Returns nothing, and changes nothing, if a value is not
  // finite in the constant's type, or if a matmul would need a bias and cannot become a gemm. The result may
  // be another operation.
  std::optional<Weighted> with(mlir::PatternRewriter &rewriter, const std::optional<Doubles> &weights,
                               const std::optional<Doubles> &bias, mlir::Location location) const;

  // Moves element i of constant weights to index placeOf(i), bit for bit; returns false if the weights are
  // not constant. The elements are not converted to double, because large weights in double would need too
  // much memory.
  bool reorder(mlir::PatternRewriter &rewriter, llvm::function_ref<size_t(size_t)> placeOf) const;

private:
  Weighted(mlir::Operation *operation, bool hasOutputsFirst, size_t groups);

  mlir::Operation *op;
  bool outputsFirst;                            // whether the first axis of the weights counts the outputs
  size_t groups, numInputs, numOutputs, kernel; // `kernel`: number of elements of one convolution kernel
};

// The elements of a constant along one axis of `shape`; empty unless the constant broadcasts to `shape` and
// varies along no other axis.
std::optional<Doubles> alongAxis(mlir::Value constant, llvm::ArrayRef<int64_t> shape, size_t axis);

} // namespace tilerig::compiler
