#include "compiler/Graph/Transforms/ElementBuilder.h"

#include "compiler/Graph/Transforms/Constants.h"

namespace tilerig::compiler {

using graph::shapeOf;

mlir::Value ElementBuilder::number(double number, mlir::Value like) {
  return constantOf(rewriter, location, {number}, graph::tensorType(like).getElementType(), {}, "number");
}

mlir::Value ElementBuilder::reshape(mlir::Value value, const Dims &shape) {
  if (shapeOf(value) == llvm::ArrayRef(shape))
    return value;
  return make<graph::ReshapeOp>(mlir::RankedTensorType::get(shape, graph::tensorType(value).getElementType()),
                                value);
}

mlir::Value ElementBuilder::expand(mlir::Value value, const Dims &shape) {
  return make<graph::ExpandOp>(mlir::RankedTensorType::get(shape, graph::tensorType(value).getElementType()),
                               value);
}

mlir::Value ElementBuilder::transpose(mlir::Value value, const Dims &perm) {
  return make<graph::TransposeOp>(value, perm);
}

mlir::Value ElementBuilder::slice(mlir::Value value, size_t axis, int64_t first, int64_t count) {
  Dims starts(shapeOf(value).size(), 0), ends(shapeOf(value)), steps(starts.size(), 1);
  if (first == 0 && count == ends[axis])
    return value;
  starts[axis] = first;
  ends[axis] = first + count;
  return make<graph::SliceOp>(value, starts, ends, steps);
}

mlir::Value ElementBuilder::reverse(mlir::Value value, size_t axis) {
  Dims starts(shapeOf(value).size(), 0), ends(shapeOf(value)), steps(starts.size(), 1);
  if (ends[axis] == 1)
    return value;
  starts[axis] = ends[axis] - 1;
  ends[axis] = -1;
  steps[axis] = -1;
  return make<graph::SliceOp>(value, starts, ends, steps);
}

mlir::Value ElementBuilder::concat(mlir::ValueRange values, size_t axis) {
  return values.size() == 1 ? values.front() : make<graph::ConcatOp>(values, static_cast<uint64_t>(axis));
}

mlir::Value ElementBuilder::padEnd(mlir::Value value, size_t axis, int64_t count) {
  if (count == 0)
    return value;
  const size_t rank = shapeOf(value).size();
  Dims pads(2 * rank, 0);
  pads[rank + axis] = count;
  return make<graph::PadOp>(value, mlir::Value(), pads, graph::PadMode::constant);
}

} // namespace tilerig::compiler
