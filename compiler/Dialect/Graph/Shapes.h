// Shapes of results, from shapes of operands. What cannot be is said at the operation.
#pragma once

#include "compiler/Dialect/Graph/Graph.h"

namespace tilerig::graph {

using Dims = llvm::SmallVector<int64_t>;
using Types = llvm::SmallVectorImpl<mlir::Type>;

// Where inference says what is wrong: at the operation, if it knows it.
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

// Adds a result of that shape with elements like those of `like`.
inline llvm::LogicalResult give(mlir::Value like, llvm::ArrayRef<int64_t> shape, Types &types) {
  types.push_back(mlir::RankedTensorType::get(shape, tensorType(like).getElementType()));
  return llvm::success();
}

// The shape of two that broadcast as numpy does.
std::optional<Dims> broadcast(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

// The order that brings an image's channels from the second place to the last, and back; shape[i] of what it
// gives is shape[order[i]].
Dims toChannelsLast(size_t rank);
Dims toChannelsFirst(size_t rank);
Dims permuted(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> order);
mlir::RankedTensorType permutedType(mlir::Value value, llvm::ArrayRef<int64_t> order);
// An image's shape as batch, channels, spatial axes, wherever its channels are; and one so given as they are.
Dims imageShape(mlir::Value image, bool channelsLast);
Dims placedShape(llvm::ArrayRef<int64_t> shape, bool channelsLast);

// "2x3", for messages.
std::string text(llvm::ArrayRef<int64_t> shape);

// Windows along the spatial axes of an image.
struct Windows {
  llvm::ArrayRef<int64_t> kernel, strides, dilations, pads;
  bool ceilMode = false;

  size_t axes() const { return kernel.size(); }
  int64_t padBefore(size_t axis) const { return pads[axis]; }
  int64_t padAfter(size_t axis) const { return pads[axes() + axis]; }
  // Elements of the input between the first and the last tap.
  int64_t reach(size_t axis) const { return (kernel[axis] - 1) * dilations[axis] + 1; }
  llvm::LogicalResult check(llvm::ArrayRef<int64_t> image, Complaint complain) const;
  // Positions along an axis of an input of that size.
  int64_t outputs(size_t axis, int64_t size) const;
};

// The result of a convolution, bias absent or checked, and of a product of matrices as numpy.matmul has it;
// none after a complaint.
std::optional<Dims> convolved(llvm::ArrayRef<int64_t> image, llvm::ArrayRef<int64_t> weights,
                              mlir::Value bias, int64_t groups, llvm::ArrayRef<int64_t> strides,
                              llvm::ArrayRef<int64_t> dilations, llvm::ArrayRef<int64_t> pads,
                              Complaint complain);
std::optional<Dims> multiplied(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b, Complaint complain);

} // namespace tilerig::graph
