#include "compiler/Layer/FromGraph/Images.h"
#include "compiler/Layer/FromGraph/Lowerings.h"

#include <llvm/ADT/TypeSwitch.h>
#include <numeric>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Found = std::optional<Lowered>;
using Reduce = ReduceFunction;

// The axes that a reduction reduces: all axes if its attribute is empty.
template <class Op>
Ints axesOf(Op op) {
  Ints axes(op.getAxes());
  if (axes.empty()) {
    axes.resize(shapeOf(op.getInput()).size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  return axes;
}

// log(sum(exp(x))), computed with the maximum subtracted to avoid overflow.
mlir::Value logSumExp(mlir::Value x, Sizes axes, LayerBuilder &to) {
  const mlir::Value most = to.reduce(Reduce::max, x, axes);
  const mlir::Value powers = to.activate(UnaryFunction::exp, to.binary(BinaryFunction::sub, x, most));
  const mlir::Value logarithm = to.activate(UnaryFunction::log, to.reduce(Reduce::sum, powers, axes));
  return to.binary(BinaryFunction::add, logarithm, most);
}

// The smallest or largest element. A long tensor is first reduced in rows, on many tiles, and then the rows' results
// are; this is exact, since the order does not matter.
mlir::Value extremeElement(Reduce kind, mlir::Value x, Sizes axes, LayerBuilder &to) {
  constexpr int64_t longestAtOnce = 1 << 17, longestRow = 1 << 12;
  const int64_t count = tensorType(x).getNumElements();
  if (axes.size() != shapeOf(x).size() || count <= longestAtOnce)
    return to.reduce(kind, x, axes);
  int64_t row = longestRow;
  while (count % row != 0)
    --row;
  if (row == 1)
    return to.reduce(kind, x, axes);
  return to.reduce(kind, to.reduce(kind, to.reshape(x, {count / row, row}), {1}), {0, 1});
}

mlir::Value reduced(mlir::Operation *operation, mlir::Value x, Sizes axes, LayerBuilder &to) {
  const auto plain = [&](Reduce kind) {
    return [&to, x, axes, kind](auto) { return to.reduce(kind, x, axes); };
  };
  const auto extreme = [&](Reduce kind) {
    return [&to, x, axes, kind](auto) { return extremeElement(kind, x, axes, to); };
  };
  const auto then = [&](Reduce kind, UnaryFunction function) {
    return [&to, x, axes, kind, function](auto) { return to.activate(function, to.reduce(kind, x, axes)); };
  };
  return llvm::TypeSwitch<mlir::Operation *, mlir::Value>(operation)
      .Case<ReduceL1Op>(plain(Reduce::sumAbs))
      .Case<ReduceL2Op>(then(Reduce::sumSquares, UnaryFunction::sqrt))
      .Case<ReduceLogSumOp>(then(Reduce::sum, UnaryFunction::log))
      .Case([&](ReduceLogSumExpOp) { return logSumExp(x, axes, to); })
      .Case<ReduceMaxOp>(extreme(Reduce::max))
      .Case<ReduceMeanOp>(plain(Reduce::mean))
      .Case<ReduceMinOp>(extreme(Reduce::min))
      .Case<ReduceProdOp>(plain(Reduce::product))
      .Case<ReduceSumOp>(plain(Reduce::sum))
      .Case<ReduceSumSquareOp>(plain(Reduce::sumSquares))
      .Default([](mlir::Operation *) { return mlir::Value(); });
}

bool needsFloats(mlir::Operation *operation) {
  return llvm::isa<ReduceMeanOp, ReduceL2Op, ReduceLogSumOp, ReduceLogSumExpOp>(operation);
}

template <class Op>
Lowered reduce(Op op, LayerBuilder &to) {
  if (needsFloats(op) && !llvm::isa<mlir::FloatType>(tensorType(op.getInput()).getElementType()))
    return noLayer("means, roots and logarithms of integers are not supported by the accelerator");
  return lowered(to.reshape(reduced(op, op.getInput(), axesOf(op), to), shapeOf(op.getOutput())));
}

template <class Op>
Lowered extreme(Op op, Reduce kind, LayerBuilder &to) {
  Ints shape(shapeOf(op.getInput()));
  const auto axis = static_cast<int64_t>(op.getAxis());
  shape[axis] = 1;
  const mlir::Value index = to.makeAs<layer::ReduceOp>(
      shape, tensorType(op.getOutput()).getElementType(), op.getInput(),
      layer::ReduceKindAttr::get(to.context(), kind), Ints{axis}, op.getLastIndex(), layer::FunctionAttr());
  return lowered(to.reshape(index, shapeOf(op.getOutput())));
}

mlir::Value softmax(mlir::Value x, uint64_t axis, bool isLogarithm, LayerBuilder &to) {
  return to.make<layer::SoftmaxOp>(shapeOf(x), x, axis, isLogarithm, layer::FunctionAttr());
}

// Lowers Hardmax: one at the first maximum along the axis, zeros elsewhere.
Lowered hardmax(HardmaxOp op, LayerBuilder &to) {
  const mlir::Value x = op.getInput();
  const auto axis = static_cast<int64_t>(op.getAxis());
  Ints shape(shapeOf(x)), row(shape.size(), 1);
  row[axis] = std::exchange(shape[axis], 1);
  const mlir::Value index = to.makeAs<layer::ReduceOp>(
      shape, to.ops().getI32Type(), x, layer::ReduceKindAttr::get(to.context(), Reduce::argMax), Ints{axis},
      /*lastIndex=*/false, layer::FunctionAttr());
  Tensor numbers(DType::i32, tilerig::Shape(row.begin(), row.end()));
  std::iota(numbers.mutableAs<int32_t>().begin(), numbers.mutableAs<int32_t>().end(), 0);
  const mlir::Value isThere = to.binary(BinaryFunction::equal, to.constant(numbers, "positions"), index);
  return lowered(to.convert(isThere, tensorType(x).getElementType()));
}

mlir::Value normalize(mlir::Value x, mlir::Value gain, mlir::Value shift, Sizes axes,
                      const llvm::APFloat &epsilon, LayerBuilder &to) {
  return to.make<layer::NormalizeOp>(
      shapeOf(x), x, gain, shift, layer::NormalizeKindAttr::get(to.context(), NormalizeMode::meanAndVariance),
      axes, epsilon, layer::FunctionAttr());
}

Ints range(size_t from, size_t end) {
  Ints axes(end - from);
  std::iota(axes.begin(), axes.end(), static_cast<int64_t>(from));
  return axes;
}

Lowered layerNorm(LayerNormOp op, LayerBuilder &to) {
  return lowered(normalize(op.getInput(), op.getScale(), op.getBias(),
                           range(op.getAxis(), shapeOf(op.getInput()).size()), op.getEpsilon(), to));
}

// Reshapes a vector with one element for each channel so that it broadcasts over an image.
mlir::Value perChannel(mlir::Value vector, size_t rank, bool isLast, LayerBuilder &to) {
  Ints shape(isLast ? 1 : rank - 1, 1);
  shape[0] = shapeOf(vector)[0];
  return to.reshape(vector, shape);
}

Lowered instanceNorm(InstanceNormOp op, LayerBuilder &to) {
  const size_t rank = shapeOf(op.getInput()).size();
  const bool isLast = isChannelsLast(op);
  return lowered(normalize(op.getInput(), perChannel(op.getScale(), rank, isLast, to),
                           perChannel(op.getBias(), rank, isLast, to),
                           isLast ? range(1, rank - 1) : range(2, rank), op.getEpsilon(), to));
}

// Lowers GroupNormalization: splits the channel axis into two, the group and the channel within its group.
Lowered groupNorm(GroupNormOp op, LayerBuilder &to) {
  const Ints shape(shapeOf(op.getInput()));
  const size_t rank = shape.size();
  const auto groups = static_cast<int64_t>(op.getGroups());
  const bool isLast = isChannelsLast(op);
  const size_t channels = isLast ? rank - 1 : 1;
  Ints split(shape), vector(rank + 1, 1);
  split[channels] /= groups;
  split.insert(split.begin() + static_cast<ptrdiff_t>(channels), groups);
  vector[channels] = groups, vector[channels + 1] = split[channels + 1];
  Ints axes;
  for (size_t i = 1; i < split.size(); ++i)
    if (i != channels)
      axes.push_back(static_cast<int64_t>(i));
  // Scale and bias are stated per channel, not per group, so they are applied after the groups are
  // normalised.
  const mlir::Value result = normalize(to.reshape(op.getInput(), split), {}, {}, axes, op.getEpsilon(), to);
  const mlir::Value scaled = to.binary(BinaryFunction::mul, result, to.reshape(op.getScale(), vector));
  const mlir::Value shifted = to.binary(BinaryFunction::add, scaled, to.reshape(op.getBias(), vector));
  return lowered(to.reshape(shifted, shape));
}

// Lowers a batch normalisation whose statistics are not constant, so that it was not folded.
Lowered batchNorm(BatchNormOp op, LayerBuilder &to) {
  const size_t rank = shapeOf(op.getInput()).size();
  const auto channels = [&](mlir::Value vector) { return perChannel(vector, rank, isChannelsLast(op), to); };
  const mlir::Value variance = channels(op.getVariance());
  const mlir::Value deviation =
      to.activate(UnaryFunction::sqrt, to.binary(BinaryFunction::add, variance,
                                                 to.number(op.getEpsilon().convertToFloat(), variance)));
  const mlir::Value centred = to.binary(BinaryFunction::sub, op.getInput(), channels(op.getMean()));
  const mlir::Value scaled = to.binary(
      BinaryFunction::mul, to.binary(BinaryFunction::div, centred, deviation), channels(op.getScale()));
  return lowered(to.binary(BinaryFunction::add, scaled, channels(op.getBias())));
}

Lowered lpNormalization(LpNormalizationOp op, LayerBuilder &to) {
  const mlir::Value x = op.getInput();
  const Ints axis = {static_cast<int64_t>(op.getAxis())};
  const mlir::Value norm = op.getP() == 1
                               ? to.reduce(Reduce::sumAbs, x, axis)
                               : to.activate(UnaryFunction::sqrt, to.reduce(Reduce::sumSquares, x, axis));
  return lowered(to.binary(BinaryFunction::div, x, norm));
}

} // namespace

Found lowerRows(mlir::Operation *operation, LayerBuilder &to) {
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case<ReduceL1Op, ReduceL2Op, ReduceLogSumOp, ReduceLogSumExpOp, ReduceMaxOp, ReduceMeanOp, ReduceMinOp,
            ReduceProdOp, ReduceSumOp, ReduceSumSquareOp>([&](auto op) -> Found { return reduce(op, to); })
      .Case([&](ArgMaxOp op) -> Found { return extreme(op, Reduce::argMax, to); })
      .Case([&](ArgMinOp op) -> Found { return extreme(op, Reduce::argMin, to); })
      .Case([&](SoftmaxOp op) -> Found { return lowered(softmax(op.getInput(), op.getAxis(), false, to)); })
      .Case([&](LogSoftmaxOp op) -> Found { return lowered(softmax(op.getInput(), op.getAxis(), true, to)); })
      .Case([&](HardmaxOp op) -> Found { return hardmax(op, to); })
      .Case([&](LayerNormOp op) -> Found { return layerNorm(op, to); })
      .Case([&](InstanceNormOp op) -> Found { return instanceNorm(op, to); })
      .Case([&](GroupNormOp op) -> Found { return groupNorm(op, to); })
      .Case([&](BatchNormOp op) -> Found { return batchNorm(op, to); })
      .Case([&](LpNormalizationOp op) -> Found { return lpNormalization(op, to); })
      .Default([](mlir::Operation *) { return Found(); });
}

} // namespace tilerig::compiler
