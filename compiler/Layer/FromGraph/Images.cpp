#include "compiler/Layer/FromGraph/Images.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Layer/FromGraph/Lowerings.h"
#include "compiler/Layer/FromGraph/ResizeAxes.h"
#include "compiler/Layer/IR/ResizePositions.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

using namespace graph;

bool isChannelsLast(mlir::Operation *operation) {
  return static_cast<bool>(operation->getAttr("channelsLast"));
}

Ints channelsBehind(size_t rank) {
  Ints perm = {0};
  for (size_t i = 2; i < rank; ++i)
    perm.push_back(static_cast<int64_t>(i));
  perm.push_back(1);
  return perm;
}

Ints channelsInFront(size_t rank) {
  Ints perm = {0, static_cast<int64_t>(rank) - 1};
  for (size_t i = 1; i + 1 < rank; ++i)
    perm.push_back(static_cast<int64_t>(i));
  return perm;
}

Result<mlir::Value> imageOf(mlir::Value value, bool isChannelsLast, LayerBuilder &to) {
  const size_t rank = shapeOf(value).size();
  if (rank != 3 && rank != 4)
    return noLayer("images of " + std::to_string(rank - 2) +
                   " spatial axes are not supported by the accelerator");
  if (!isChannelsLast)
    value = to.transpose(value, channelsBehind(rank));
  const auto shape = shapeOf(value);
  return rank == 4 ? value : to.reshape(value, {shape[0], 1, shape[1], shape[2]});
}

mlir::Value fromImage(mlir::Value image, mlir::Value result, bool isChannelsLast, LayerBuilder &to) {
  const size_t rank = shapeOf(result).size();
  const auto shape = shapeOf(image);
  if (rank == 3)
    image = to.reshape(image, {shape[0], shape[2], shape[3]});
  return isChannelsLast ? image : to.transpose(image, channelsInFront(rank));
}

Ints forImage(Sizes perAxis, int64_t fill) {
  return perAxis.size() == 1 ? Ints{fill, perAxis[0]} : Ints(perAxis);
}

Ints padsForImage(Sizes pads) { return pads.size() == 2 ? Ints{0, pads[0], 0, pads[1]} : Ints(pads); }

namespace {

using Found = std::optional<Lowered>;

// The pool layer for an image, with the result size of the pooling operation. If the operation rounds that
// size up, the last windows may extend beyond the stated padding at the bottom and on the right.
template <class Pool>
mlir::Value pool(Pool op, mlir::Value image, PoolFunction kind, LayerBuilder &to) {
  const bool isRow = shapeOf(op.getInput()).size() == 3, isLast = isChannelsLast(op);
  const auto result = shapeOf(op.getOutput());
  const Ints spatial = isRow    ? Ints{1, result[isLast ? 1 : 2]}
                       : isLast ? Ints{result[1], result[2]}
                                : Ints{result[2], result[3]};
  return to.make<layer::PoolOp>({shapeOf(image)[0], spatial[0], spatial[1], shapeOf(image)[3]}, image,
                                layer::PoolKindAttr::get(to.context(), kind), forImage(op.getKernel(), 1),
                                forImage(op.getStrides(), 1), forImage(op.getDilations(), 1),
                                padsForImage(op.getPads()), layer::FunctionAttr());
}

template <class Pool>
Lowered plainPool(Pool op, PoolFunction kind, LayerBuilder &to) {
  TILERIG_TRY(const mlir::Value image, imageOf(op.getInput(), isChannelsLast(op), to));
  return lowered(fromImage(pool(op, image, kind, to), op.getOutput(), isChannelsLast(op), to));
}

// For Lp pooling: powers() computes |x|^p in front of the sum; root() computes the p-th root of the sum.
mlir::Value powers(mlir::Value value, int64_t p, LayerBuilder &to) {
  if (p == 2)
    return to.binary(BinaryFunction::mul, value, value);
  const mlir::Value magnitudes = to.activate(UnaryFunction::abs, value);
  return p == 1 ? magnitudes
                : to.binary(BinaryFunction::pow, magnitudes, to.number(static_cast<double>(p), value));
}
mlir::Value root(mlir::Value value, int64_t p, LayerBuilder &to) {
  if (p == 2)
    return to.activate(UnaryFunction::sqrt, value);
  return p == 1 ? value : to.binary(BinaryFunction::pow, value, to.number(1 / static_cast<double>(p), value));
}

Lowered lpPool(LpPoolOp op, LayerBuilder &to) {
  const auto p = static_cast<int64_t>(op.getP());
  TILERIG_TRY(const mlir::Value image, imageOf(op.getInput(), isChannelsLast(op), to));
  const mlir::Value sums = pool(op, powers(image, p, to), PoolFunction::sum, to);
  return lowered(fromImage(root(sums, p, to), op.getOutput(), isChannelsLast(op), to));
}

template <class Make>
Lowered globalPool(mlir::Operation *op, Make make) {
  const size_t rank = shapeOf(op->getOperand(0)).size();
  Ints axes;
  for (size_t i = 0; i + 2 < rank; ++i)
    axes.push_back(static_cast<int64_t>(i) + (isChannelsLast(op) ? 1 : 2));
  return lowered(make(op->getOperand(0), axes));
}

// Lowers LRN. It sums over neighbouring channels: by pooling along the columns of an image in which each row
// holds the channels of one pixel.
Lowered lrn(LrnOp op, LayerBuilder &to) {
  const auto size = static_cast<int64_t>(op.getSize());
  const size_t rank = shapeOf(op.getInput()).size();
  const bool isLast = isChannelsLast(op);
  const mlir::Value x = isLast ? op.getInput() : to.transpose(op.getInput(), channelsBehind(rank));
  const auto shape = shapeOf(x);
  int64_t pixels = 1;
  for (const int64_t count : shape.drop_front().drop_back())
    pixels *= count;
  const Ints flat = {shape[0], pixels, shape.back(), 1};
  const mlir::Value squares = to.reshape(to.binary(BinaryFunction::mul, x, x), flat);
  const mlir::Value sums = to.make<layer::PoolOp>(
      flat, squares, layer::PoolKindAttr::get(to.context(), PoolFunction::sum), Ints{1, size}, Ints{1, 1},
      Ints{1, 1}, Ints{0, (size - 1) / 2, 0, size - 1 - (size - 1) / 2}, layer::FunctionAttr());
  const double factor = op.getAlpha().convertToFloat() / static_cast<double>(size);
  const mlir::Value scaled = to.binary(BinaryFunction::mul, to.reshape(sums, shape), to.number(factor, x));
  const mlir::Value base =
      to.binary(BinaryFunction::add, scaled, to.number(op.getBias().convertToFloat(), x));
  const mlir::Value y =
      to.binary(BinaryFunction::div, x,
                to.binary(BinaryFunction::pow, base, to.number(op.getBeta().convertToFloat(), x)));
  return lowered(isLast ? y : to.transpose(y, channelsInFront(rank)));
}

// Lowers DepthToSpace, which turns the channels of a pixel into a block of pixels. Images have the axes
// batch, rows, columns, channels.
Lowered depthToSpace(DepthToSpaceOp op, LayerBuilder &to) {
  const auto block = static_cast<int64_t>(op.getBlockSize());
  TILERIG_TRY(const mlir::Value image, imageOf(op.getInput(), isChannelsLast(op), to));
  const auto s = shapeOf(image);
  const int64_t depth = s[3] / (block * block);
  // Whether the channels of the input are ordered as [depth, block, block]; else as [block, block, depth].
  const bool isColumnsFirst = op.getColumnsFirst();
  const mlir::Value split = to.reshape(image, isColumnsFirst ? Ints{s[0], s[1], s[2], depth, block, block}
                                                             : Ints{s[0], s[1], s[2], block, block, depth});
  const mlir::Value moved =
      to.transpose(split, isColumnsFirst ? Ints{0, 1, 4, 2, 5, 3} : Ints{0, 1, 3, 2, 4, 5});
  const mlir::Value result = to.reshape(moved, {s[0], s[1] * block, s[2] * block, depth});
  return lowered(fromImage(result, op.getOutput(), isChannelsLast(op), to));
}

Lowered spaceToDepth(SpaceToDepthOp op, LayerBuilder &to) {
  const auto block = static_cast<int64_t>(op.getBlockSize());
  TILERIG_TRY(const mlir::Value image, imageOf(op.getInput(), isChannelsLast(op), to));
  const auto s = shapeOf(image);
  const mlir::Value split = to.reshape(image, {s[0], s[1] / block, block, s[2] / block, block, s[3]});
  const mlir::Value moved = to.transpose(split, {0, 1, 3, 2, 4, 5});
  const mlir::Value result = to.reshape(moved, {s[0], s[1] / block, s[2] / block, block * block * s[3]});
  return lowered(fromImage(result, op.getOutput(), isChannelsLast(op), to));
}

tilerig::ResizeMode kindOf(graph::ResizeMode mode) {
  switch (mode) {
  case graph::ResizeMode::nearest:
    return tilerig::ResizeMode::nearest;
  case graph::ResizeMode::linear:
    return tilerig::ResizeMode::linear;
  case graph::ResizeMode::cubic:
    return tilerig::ResizeMode::cubic;
  }
  llvm_unreachable("three modes");
}

// For each axis of a resize, the formula that maps element positions of the result to positions of the input;
// nullopt if the machine does not support the formula of one of the axes.
std::optional<llvm::SmallVector<layer::AxisPositions>> positionsOf(ResizeOp op) {
  llvm::SmallVector<layer::AxisPositions> positions;
  for (size_t axis = 0; axis < shapeOf(op.getInput()).size(); ++axis) {
    layer::AxisResize resize{
        op.getCoordinates(), {}, shapeOf(op.getInput())[axis], shapeOf(op.getOutput())[axis], {}};
    if (op.getMode() == graph::ResizeMode::nearest)
      resize.nearest = op.getNearest();
    if (!op.getScales().empty())
      resize.scale = op.getScales()[axis];
    const auto axisPositions = layer::positionsOf(resize);
    if (!axisPositions)
      return {};
    positions.push_back(*axisPositions);
  }
  return positions;
}

// The axes whose size a resize leaves unchanged.
Ints keptAxes(ResizeOp op, llvm::ArrayRef<layer::AxisPositions> positions) {
  const bool isNearest = op.getMode() == graph::ResizeMode::nearest;
  Ints kept;
  for (size_t axis = 0; axis < positions.size(); ++axis) {
    const auto &[numerator, denominator, offset] = positions[axis];
    const int64_t size = shapeOf(op.getInput())[axis];
    const bool isInPlace = numerator == denominator && offset >= 0 && offset < (isNearest ? denominator : 1);
    if (size == shapeOf(op.getOutput())[axis] && (size == 1 || isInPlace))
      kept.push_back(static_cast<int64_t>(axis));
  }
  return kept;
}

// Lowers Resize. Axes are scaled independently, so any two axes that keep their size can serve as batch and
// channels of the layer: a transpose puts one of them first and one last, whichever order of axes the image
// has.
Lowered resize(ResizeOp op, LayerBuilder &to) {
  const size_t rank = shapeOf(op.getInput()).size();
  if (op.getAntialias() || op.getExcludeOutside() || op.getPolicy() != AspectPolicy::stretch ||
      (rank != 3 && rank != 4))
    return resizeAxes(op, to);
  const auto positions = positionsOf(op);
  if (!positions)
    return resizeAxes(op, to);
  const Ints kept = keptAxes(op, *positions);
  if (kept.size() < 2)
    return resizeAxes(op, to);
  Ints order = {kept.front()};
  for (int64_t axis = 0; axis < static_cast<int64_t>(rank); ++axis)
    if (axis != kept.front() && axis != kept.back())
      order.push_back(axis);
  order.push_back(kept.back());
  const auto asImage = [&](Sizes shape) {
    Ints image = permuted(shape, order);
    if (rank == 3) // treats an image with one spatial axis as an image with one row
      image.insert(image.begin() + 1, 1);
    return image;
  };
  const auto numbers = [&](size_t axis) {
    const layer::AxisPositions &axisPositions = (*positions)[order[axis]];
    return Ints{axisPositions.numerator, axisPositions.denominator, axisPositions.offset};
  };
  const Ints from = asImage(shapeOf(op.getInput())), size = asImage(shapeOf(op.getOutput()));
  const layer::AxisPositions inPlace{1, 1, 0};
  if (!layer::resizeOf({rank == 3 ? inPlace : (*positions)[order[1]], (*positions)[order[rank - 2]]},
                       op.getMode() == graph::ResizeMode::nearest, {from[1], from[2]}, {size[1], size[2]}))
    return resizeAxes(op, to); // the layer could not be written as an ONNX operator
  const mlir::Value image = to.reshape(to.transpose(op.getInput(), order), from);
  const tilerig::ResizeMode kind = kindOf(op.getMode());
  const mlir::Value resized = to.make<layer::ResizeOp>(
      size, image, layer::ResizeKindAttr::get(to.context(), kind), rank == 3 ? Ints{1, 1, 0} : numbers(1),
      numbers(rank - 2), kind == tilerig::ResizeMode::cubic ? op.getCubicCoefficient() : llvm::APFloat(0.0F),
      layer::FunctionAttr());
  const mlir::Value result = to.reshape(resized, permuted(shapeOf(op.getOutput()), order));
  return lowered(to.transpose(result, inverse(order)));
}

} // namespace

Found lowerImages(mlir::Operation *operation, LayerBuilder &to) {
  const auto reduced = [&](ReduceFunction kind) {
    return [&to, kind](mlir::Value x, Sizes axes) { return to.reduce(kind, x, axes); };
  };
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case([&](MaxPoolOp op) -> Found { return plainPool(op, PoolFunction::max, to); })
      .Case([&](AveragePoolOp op) -> Found {
        return plainPool(
            op, op.getCountIncludePad() ? PoolFunction::averageWithPadding : PoolFunction::average, to);
      })
      .Case([&](LpPoolOp op) -> Found { return lpPool(op, to); })
      .Case([&](GlobalAveragePoolOp op) -> Found { return globalPool(op, reduced(ReduceFunction::mean)); })
      .Case([&](GlobalMaxPoolOp op) -> Found { return globalPool(op, reduced(ReduceFunction::max)); })
      .Case([&](GlobalLpPoolOp op) -> Found {
        const auto p = static_cast<int64_t>(op.getP());
        return globalPool(op, [&](mlir::Value x, Sizes axes) {
          return root(to.reduce(ReduceFunction::sum, powers(x, p, to), axes), p, to);
        });
      })
      .Case([&](ResizeOp op) -> Found { return resize(op, to); })
      .Case([&](LrnOp op) -> Found { return lrn(op, to); })
      .Case([&](DepthToSpaceOp op) -> Found { return depthToSpace(op, to); })
      .Case([&](SpaceToDepthOp op) -> Found { return spaceToDepth(op, to); })
      .Default([](mlir::Operation *) { return Found(); });
}

} // namespace tilerig::compiler
