#include "compiler/Graph/IR/Shapes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/ADT/StringExtras.h>

namespace tilerig::compiler::graph {

std::optional<Dims> broadcast(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  Dims result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) { // number of the axis, counted from the last one
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return {};
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

Dims toChannelsLast(size_t rank) {
  Dims order = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (rank > 1)
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return order;
}

Dims toChannelsFirst(size_t rank) {
  Dims order = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (rank > 1)
    std::rotate(order.begin() + 1, order.end() - 1, order.end());
  return order;
}

Dims permuted(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> order) {
  return llvm::to_vector(llvm::map_range(order, [&](int64_t axis) { return shape[axis]; }));
}

mlir::RankedTensorType permutedType(mlir::Value value, llvm::ArrayRef<int64_t> order) {
  return mlir::RankedTensorType::get(permuted(shapeOf(value), order), tensorType(value).getElementType());
}

Dims imageShape(mlir::Value image, bool channelsLast) {
  const auto shape = shapeOf(image);
  return channelsLast ? permuted(shape, toChannelsFirst(shape.size())) : Dims(shape);
}

Dims placedShape(llvm::ArrayRef<int64_t> shape, bool channelsLast) {
  return channelsLast ? permuted(shape, toChannelsLast(shape.size())) : Dims(shape);
}

std::string text(llvm::ArrayRef<int64_t> shape) {
  return shape.empty() ? "scalar"
                       : llvm::join(llvm::map_range(shape, [](int64_t n) { return std::to_string(n); }), "x");
}

llvm::LogicalResult Windows::check(llvm::ArrayRef<int64_t> image, Complaint complain) const {
  if (image.size() != axes() + 2)
    return complain("a kernel with ", axes(), " spatial axes does not fit an image of shape ", text(image));
  if (strides.size() != axes() || dilations.size() != axes() || pads.size() != 2 * axes())
    return complain("strides, dilations and pads must be given for each of ", axes(), " spatial axes");
  for (size_t i = 0; i < axes(); ++i) {
    if (kernel[i] < 1 || strides[i] < 1 || dilations[i] < 1)
      return complain("kernel, strides and dilations must be positive");
    if (outputs(i, image[i + 2]) < 1)
      return complain("the dilated kernel has size ", reach(i), ", more than spatial axis ", i,
                      " of an image of shape ", text(image), " with its padding");
  }
  return llvm::success();
}

int64_t Windows::outputs(size_t axis, int64_t size) const {
  const int64_t slack = size + padBefore(axis) + padAfter(axis) - reach(axis);
  if (slack < 0)
    return 0;
  int64_t count = slack / strides[axis] + 1;
  // With ceilMode, a last window that ends beyond the padded input is counted, too, unless it begins in the
  // padding at the end.
  if (ceilMode && slack % strides[axis] != 0 && count * strides[axis] < size + padBefore(axis))
    ++count;
  return count;
}

} // namespace tilerig::compiler::graph
