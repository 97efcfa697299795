// Lowering of operators on element positions: triangles, one-hot encoding and cumulative sums.
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/FromGraph/Lowerings.h"
#include "compiler/Layer/IR/Types.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Found = std::optional<Lowered>;

// Lowers Trilu: a constant mask keeps a triangle of the matrix and sets all other elements to zero.
mlir::Value trilu(TriluOp op, LayerBuilder &to) {
  const auto shape = shapeOf(op.getInput()).take_back(2);
  const auto diagonal = static_cast<int64_t>(op.getDiagonal());
  Tensor mask(DType::boolean, {shape[0], shape[1]});
  for (int64_t row = 0, at = 0; row < shape[0]; ++row)
    for (int64_t column = 0; column < shape[1]; ++column, ++at)
      mask.mutableAs<bool>()[at] = op.getUpper() ? column - row >= diagonal : column - row <= diagonal;
  return to.select(to.constant(mask, "triangle"), op.getInput(), to.number(0, op.getInput()));
}

// A constant with the `count` numbers first, first + 1, ... in this shape; nullopt for types that are not
// supported.
std::optional<Tensor> places(DType type, int64_t first, int64_t count, tilerig::Shape shape) {
  const auto filled = [&](auto zero) {
    using Element = decltype(zero);
    Tensor all(type, shape);
    for (int64_t i = 0; i < count; ++i)
      all.mutableAs<Element>()[static_cast<size_t>(i)] = static_cast<Element>(first + i);
    return all;
  };
  switch (type) {
  case DType::i64:
    return filled(int64_t{});
  case DType::i32:
    return filled(int32_t{});
  case DType::f32:
    return filled(float{});
  case DType::f64:
    return filled(double{});
  default:
    return {};
  }
}

// Lowers OneHot. Negative indices count from the end of the axis; an index out of range gives only "off"
// values.
Lowered oneHot(OneHotOp op, LayerBuilder &to) {
  const auto depth = static_cast<int64_t>(op.getDepth());
  // The layer compares with a constant of one index per class; a larger one would take too much memory.
  constexpr int64_t mostPlaces = 1 << 24;
  if (depth > mostPlaces)
    return noLayer("a depth of more than " + std::to_string(mostPlaces) +
                   " is not supported by the accelerator");
  const size_t axis = op.getAxis(), rank = shapeOf(op.getOutput()).size();
  const DType type = *dtypeOfElement(tensorType(op.getIndices()).getElementType());
  tilerig::Shape along(rank, 1);
  along[axis] = depth;
  const auto fromFront = places(type, 0, depth, along), fromEnd = places(type, -depth, depth, along);
  if (!fromFront)
    return noLayer("indices of this type are not supported by the accelerator");
  Ints shape(shapeOf(op.getIndices()));
  shape.insert(shape.begin() + static_cast<ptrdiff_t>(axis), 1);
  const mlir::Value indices = to.reshape(op.getIndices(), shape);
  const auto isAt = [&](const Tensor &all) {
    return to.binary(BinaryFunction::equal, indices, to.constant(all, "places"));
  };
  const auto value = [&](int64_t which) { return to.reshape(to.sliceAxis(op.getValues(), 0, which, 1), {}); };
  const mlir::Value isInFront = isAt(*fromFront), isAtEnd = isAt(*fromEnd), on = value(1), off = value(0);
  return lowered(to.select(to.binary(BinaryFunction::logicalOr, isInFront, isAtEnd), on, off));
}

// Shifts the elements of a tensor by `by` positions towards the end of an axis and fills the front with
// zeros; if `isReversed`, shifts towards the front and fills the end.
mlir::Value shifted(mlir::Value x, int64_t axis, int64_t by, bool isReversed, LayerBuilder &to) {
  const mlir::Value kept = to.sliceAxis(x, axis, isReversed ? by : 0, shapeOf(x)[axis] - by);
  if (layer::isFloatForInstructions(tensorType(x).getElementType())) {
    const size_t rank = shapeOf(x).size();
    Ints pads(2 * rank, 0);
    pads[static_cast<size_t>(axis) + (isReversed ? rank : 0)] = by;
    return to.pad(kept, pads, 0);
  }
  Ints shape(shapeOf(x));
  shape[axis] = by;
  const mlir::Value zeros = to.expand(to.number(0, x), shape);
  return to.concat(isReversed ? mlir::ValueRange{kept, zeros} : mlir::ValueRange{zeros, kept}, axis);
}

// Lowers CumSum as a parallel prefix sum: adds copies of the tensor shifted by 1, 2, 4, ... elements.
Lowered cumSum(CumSumOp op, LayerBuilder &to) {
  mlir::Value x = op.getInput();
  const auto axis = static_cast<int64_t>(op.getAxis());
  const int64_t count = shapeOf(x)[axis];
  if (op.getExclusive() && count == 1)
    return lowered(to.expand(to.number(0, x), shapeOf(x)));
  if (op.getExclusive())
    x = shifted(x, axis, 1, op.getReverse(), to);
  for (int64_t by = 1; by < count; by *= 2)
    x = to.binary(BinaryFunction::add, x, shifted(x, axis, by, op.getReverse(), to));
  return lowered(x);
}

} // namespace

Found lowerIndexing(mlir::Operation *operation, LayerBuilder &to) {
  if (llvm::isa<TriluOp, CumSumOp>(operation) &&
      !tensorType(operation->getOperand(0)).getElementType().isIntOrFloat())
    return noLayer("complex numbers are not supported by the accelerator");
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case([&](TriluOp op) -> Found { return lowered(trilu(op, to)); })
      .Case([&](OneHotOp op) -> Found { return oneHot(op, to); })
      .Case([&](CumSumOp op) -> Found { return cumSum(op, to); })
      .Default([](mlir::Operation *) { return Found(); });
}

} // namespace tilerig::compiler
