#include "compiler/Graph/Folding/Families.h"

#include <algorithm>
#include <cstring>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

// The strides, in elements, with which an operand is read if it is broadcast to `shape`: 0 along broadcast
// axes.
std::vector<int64_t> broadcastStrides(const Tensor &tensor, const Shape &shape) {
  std::vector<int64_t> strides(shape.size(), 0);
  const std::vector<int64_t> own = tensor.strides();
  const size_t before = shape.size() - tensor.rank();
  for (size_t i = 0; i < tensor.rank(); ++i)
    strides[before + i] = tensor.shape()[i] == 1 ? 0 : own[i];
  return strides;
}

std::optional<Tensor> where(mlir::Operation *operation, const Operands &operands) {
  const Shape shape = shapeOfResult(operation);
  const Tensor condition = broadcastTo(operands[0], shape), a = broadcastTo(operands[1], shape),
               b = broadcastTo(operands[2], shape);
  Tensor result = b;
  const size_t bytes = sizeBytes(a.dtype());
  std::byte *to = result.mutableBytes().data();
  for (size_t i = 0; i < condition.elementCount(); ++i)
    if (condition.as<bool>()[i])
      std::memcpy(to + i * bytes, a.bytes().data() + i * bytes, bytes);
  return result;
}

std::optional<Tensor> concat(graph::ConcatOp operation, const Operands &operands) {
  Tensor result(operands[0].dtype(), shapeOfResult(operation));
  const size_t axis = operation.getAxis();
  int64_t outer = 1;
  for (size_t i = 0; i < axis; ++i)
    outer *= result.shape()[i];
  if (outer == 0)
    return result;
  std::byte *to = result.mutableBytes().data();
  for (int64_t i = 0; i < outer; ++i)
    for (const auto &operand : operands) {
      const size_t bytes = operand.sizeBytes() / static_cast<size_t>(outer);
      std::memcpy(to, operand.bytes().data() + static_cast<size_t>(i) * bytes, bytes);
      to += bytes;
    }
  return result;
}

std::optional<Tensor> slice(graph::SliceOp operation, const Tensor &from) {
  std::vector<int64_t> strides = from.strides();
  int64_t base = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    base += operation.getStarts()[i] * strides[i];
    strides[i] *= operation.getSteps()[i];
  }
  return takenByStrides(from, shapeOfResult(operation), base, strides);
}

std::optional<Tensor> gather(graph::GatherOp operation, const Tensor &from, const Tensor &indices) {
  const size_t axis = operation.getAxis();
  const int64_t size = from.shape()[axis];
  std::vector<int64_t> wanted;
  if (indices.dtype() == DType::i64)
    wanted.assign(indices.as<int64_t>().begin(), indices.as<int64_t>().end());
  else if (indices.dtype() != DType::i32)
    return {};
  else
    wanted.assign(indices.as<int32_t>().begin(), indices.as<int32_t>().end());
  for (int64_t &index : wanted) {
    if (index < -size || index >= size)
      return {}; // a Gather with an index out of range is not folded, but left to the runtime
    index += index < 0 ? size : 0;
  }
  const int64_t inner = from.strides()[axis];
  int64_t outer = 1;
  for (size_t i = 0; i < axis; ++i)
    outer *= from.shape()[i];
  Tensor result(from.dtype(), shapeOfResult(operation));
  const size_t bytes = static_cast<size_t>(inner) * sizeBytes(from.dtype());
  std::byte *to = result.mutableBytes().data();
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t index : wanted) {
      std::memcpy(to, from.bytes().data() + static_cast<size_t>(i * size + index) * bytes, bytes);
      to += bytes;
    }
  return result;
}

std::optional<Tensor> tiled(graph::TileOp operation, const Tensor &from) {
  // If one of the repeats is 0, others may be arbitrarily large.
  if (const Shape whole = shapeOfResult(operation); std::ranges::find(whole, 0) != whole.end())
    return Tensor(from.dtype(), whole);
  Tensor result = from;
  for (size_t axis = 0; axis < from.rank(); ++axis) {
    // Insert an axis of the repeats in front of the axis, along which the stride is 0, and merge both.
    Shape shape = result.shape();
    std::vector<int64_t> strides = result.strides();
    shape.insert(shape.begin() + static_cast<ptrdiff_t>(axis), operation.getRepeats()[axis]);
    strides.insert(strides.begin() + static_cast<ptrdiff_t>(axis), 0);
    const Tensor repeated = takenByStrides(result, shape, 0, strides);
    shape[axis] *= shape[axis + 1];
    shape.erase(shape.begin() + static_cast<ptrdiff_t>(axis) + 1);
    result = *repeated.reshaped(shape);
  }
  return result;
}

} // namespace

Tensor broadcastTo(const Tensor &tensor, const Shape &shape) {
  return tensor.shape() == shape ? tensor : takenByStrides(tensor, shape, 0, broadcastStrides(tensor, shape));
}

std::optional<Tensor> evaluateMovement(mlir::Operation *operation, const Operands &operands) {
  using Found = std::optional<Tensor>;
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case([&](graph::WhereOp) { return where(operation, operands); })
      .Case([&](graph::ConcatOp op) { return concat(op, operands); })
      .Case([&](graph::SliceOp op) { return slice(op, operands[0]); })
      .Case([&](graph::TransposeOp op) { return Found(tilerig::transposed(operands[0], op.getPerm())); })
      .Case([&](graph::GatherOp op) { return gather(op, operands[0], operands[1]); })
      .Case([&](graph::ReshapeOp) { return Found(*operands[0].reshaped(shapeOfResult(operation))); })
      .Case([&](graph::ExpandOp) { return Found(broadcastTo(operands[0], shapeOfResult(operation))); })
      .Case([&](graph::TileOp op) { return tiled(op, operands[0]); })
      .Default([](mlir::Operation *) { return Found(); });
}

} // namespace tilerig::compiler
