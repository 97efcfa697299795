#include "compiler/Layer/FromGraph/Lowerings.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Found = std::optional<Lowered>;

// Lowers Tile: each repeated axis gets a new axis of size 1 in front of it, which is expanded to the number
// of repeats; then both become one axis.
mlir::Value tile(TileOp op, LayerBuilder &to) {
  Ints split, expanded;
  for (const auto [size, repeats] : llvm::zip_equal(shapeOf(op.getInput()), op.getRepeats())) {
    if (repeats > 1) {
      split.push_back(1);
      expanded.push_back(repeats);
    }
    split.push_back(size);
    expanded.push_back(size);
  }
  return to.reshape(to.expand(to.reshape(op.getInput(), split), expanded), shapeOf(op.getOutput()));
}

// Lowers Gather; with a single constant index to a slice.
mlir::Value gather(GatherOp op, LayerBuilder &to) {
  const auto axis = static_cast<int64_t>(op.getAxis());
  const auto indices = elementsOf(op.getIndices());
  if (indices && indices->elementCount() == 1 && indices->dtype() == DType::i64) {
    const int64_t size = shapeOf(op.getInput())[axis], index = indices->as<int64_t>()[0];
    if (index >= -size && index < size)
      return to.reshape(to.sliceAxis(op.getInput(), axis, index + (index < 0 ? size : 0), 1),
                        shapeOf(op.getOutput()));
  }
  return to.make<layer::GatherOp>(shapeOf(op.getOutput()), op.getInput(), op.getIndices(), op.getAxis());
}

// `count` elements with which to pad an axis at its front or end, copied from the value as `mode` (edge,
// reflect or wrap) says.
Result<mlir::Value> borrowed(mlir::Value x, int64_t axis, int64_t count, bool isFront, PadMode mode,
                             LayerBuilder &to) {
  const int64_t size = shapeOf(x)[axis];
  Ints shape(shapeOf(x));
  shape[axis] = count;
  if (mode == PadMode::edge)
    return to.expand(to.sliceAxis(x, axis, isFront ? 0 : size - 1, 1), shape);
  if (count > size - (mode == PadMode::reflect ? 1 : 0))
    return noLayer("padding that repeats the image more than once is not supported by the accelerator");
  if (mode == PadMode::wrap)
    return to.sliceAxis(x, axis, isFront ? size - count : 0, count);
  return to.sliceAxis(x, axis, isFront ? count : size - 2, count, -1);
}

// Crops the value where pads are negative. Returns null if an axis would lose all its elements.
mlir::Value cut(mlir::Value x, Sizes pads, LayerBuilder &to) {
  const size_t rank = shapeOf(x).size();
  for (size_t i = 0; i < rank; ++i) {
    const int64_t before = std::max<int64_t>(0, -pads[i]), after = std::max<int64_t>(0, -pads[rank + i]);
    const int64_t left = shapeOf(x)[i] - before - after;
    if (left < 1)
      return {};
    x = to.sliceAxis(x, static_cast<int64_t>(i), before, left);
  }
  return x;
}

Lowered pad(PadOp op, LayerBuilder &to) {
  const size_t rank = shapeOf(op.getInput()).size();
  Ints pads;
  for (const int64_t count : op.getPads())
    pads.push_back(std::max<int64_t>(0, count));
  mlir::Value x = cut(op.getInput(), op.getPads(), to);
  if (op.getMode() == PadMode::constant) {
    const auto value = op.getValue() ? numberOf(op.getValue()) : 0.0;
    if (!value)
      return noLayer("padding with a value that is not a constant float is not supported by the accelerator");
    return lowered(x ? to.pad(x, pads, *value) : cut(to.pad(op.getInput(), pads, *value), op.getPads(), to));
  }
  if (!x)
    return noLayer(
        "repeating an image that negative padding removes completely is not supported by the accelerator");
  for (size_t i = 0; i < rank; ++i) {
    const auto axis = static_cast<int64_t>(i);
    llvm::SmallVector<mlir::Value> parts;
    if (pads[i] > 0) {
      TILERIG_TRY(const mlir::Value front, borrowed(x, axis, pads[i], true, op.getMode(), to));
      parts.push_back(front);
    }
    parts.push_back(x);
    if (pads[rank + i] > 0) {
      TILERIG_TRY(const mlir::Value back, borrowed(x, axis, pads[rank + i], false, op.getMode(), to));
      parts.push_back(back);
    }
    x = to.concat(parts, axis);
  }
  return lowered(x);
}

} // namespace

Found lowerMovement(mlir::Operation *operation, LayerBuilder &to) {
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case(
          [&](ReshapeOp op) -> Found { return lowered(to.reshape(op.getInput(), shapeOf(op.getOutput()))); })
      .Case([&](TransposeOp op) -> Found { return lowered(to.transpose(op.getInput(), op.getPerm())); })
      .Case([&](ExpandOp op) -> Found { return lowered(to.expand(op.getInput(), shapeOf(op.getOutput()))); })
      .Case([&](ConcatOp op) -> Found {
        return lowered(to.concat(op.getInputs(), static_cast<int64_t>(op.getAxis())));
      })
      .Case([&](SliceOp op) -> Found {
        return lowered(to.slice(op.getInput(), op.getStarts(), op.getSteps(), shapeOf(op.getOutput())));
      })
      .Case([&](TileOp op) -> Found { return lowered(tile(op, to)); })
      .Case([&](GatherOp op) -> Found { return lowered(gather(op, to)); })
      .Case([&](PadOp op) -> Found { return pad(op, to); })
      .Default([](mlir::Operation *) { return Found(); });
}

} // namespace tilerig::compiler
