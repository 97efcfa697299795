// Shape inference helpers: result shapes from operand shapes, with errors reported at the operation.
#pragma once

#include "compiler/Graph/IR/Graph.h"

namespace tilerig::compiler::graph {

using Dims = llvm::SmallVector<int64_t>;
using Types = llvm::SmallVectorImpl<mlir::Type>;

// Reports an error of shape inference at the operation if its location is known; otherwise fails without a
// message.
struct Complaint {
  std::optional<mlir::Location> location;

  template <class... Parts>
  llvm::LogicalResult operator()(Parts &&...parts) const {
    if (!location)
      return llvm::failure();
    mlir::InFlightDiagnostic diagnostic = mlir::emitError(*location);
    (diagnostic << ... << parts);
    return diagnostic;
  }
};

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) { return tensorType(value).getShape(); }

// Appends a result type with this shape and the element type of `like`.
inline llvm::LogicalResult give(mlir::Value like, llvm::ArrayRef<int64_t> shape, Types &types) {
  types.push_back(mlir::RankedTensorType::get(shape, tensorType(like).getElementType()));
  return llvm::success();
}

// The broadcast shape of two shapes, by numpy's rules; empty if they are incompatible.
std::optional<Dims> broadcast(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

// Infer the type of an elementwise operation on two tensors, whose shapes broadcast: for arithmetic the
// common element type, for comparisons booleans, for powers the element type of the base.
llvm::LogicalResult inferArithmetic(std::optional<mlir::Location> location, mlir::Value a, mlir::Value b,
                                    Types &types);
llvm::LogicalResult inferComparison(std::optional<mlir::Location> location, mlir::Value a, mlir::Value b,
                                    Types &types);
llvm::LogicalResult inferPower(std::optional<mlir::Location> location, mlir::Value base, mlir::Value exponent,
                               Types &types);

// Permutation that moves an image's channels from the second axis to the last, and its inverse. Axis i of the
// permuted image is axis order[i] of the original.
Dims toChannelsLast(size_t rank);
Dims toChannelsFirst(size_t rank);
Dims permuted(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> order);
mlir::RankedTensorType permutedType(mlir::Value value, llvm::ArrayRef<int64_t> order);
// imageShape() returns the shape of an image with the axes in the order batch, channels, spatial axes, even
// if the image has its channels last. placedShape() converts such a shape back to the image's own axis order.
Dims imageShape(mlir::Value image, bool channelsLast);
Dims placedShape(llvm::ArrayRef<int64_t> shape, bool channelsLast);

// The shape as text for messages, for example "2x3".
std::string text(llvm::ArrayRef<int64_t> shape);

// Sliding windows (kernel, strides, dilations, padding) along the spatial axes of an image.
struct Windows {
  llvm::ArrayRef<int64_t> kernel, strides, dilations, pads;
  bool ceilMode = false;

  size_t axes() const { return kernel.size(); }
  int64_t padBefore(size_t axis) const { return pads[axis]; }
  int64_t padAfter(size_t axis) const { return pads[axes() + axis]; }
  // Extent of the dilated kernel: input elements from the first to the last tap, both included.
  int64_t reach(size_t axis) const { return (kernel[axis] - 1) * dilations[axis] + 1; }
  llvm::LogicalResult check(llvm::ArrayRef<int64_t> image, Complaint complain) const;
  // Number of window positions along an axis of an input of this size.
  int64_t outputs(size_t axis, int64_t size) const;
};

// Each of these functions returns the shape of a result, or nothing after reporting an error: convolved()
// that of a convolution, whose bias is checked, too; multiplied() that of a matrix product as in
// numpy.matmul.
std::optional<Dims> convolved(llvm::ArrayRef<int64_t> image, llvm::ArrayRef<int64_t> weights,
                              mlir::Value bias, int64_t groups, llvm::ArrayRef<int64_t> strides,
                              llvm::ArrayRef<int64_t> dilations, llvm::ArrayRef<int64_t> pads,
                              Complaint complain);
std::optional<Dims> multiplied(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b, Complaint complain);

} // namespace tilerig::compiler::graph
