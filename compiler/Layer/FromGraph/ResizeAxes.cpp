#include "compiler/Layer/FromGraph/ResizeAxes.h"

#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/FromGraph/Products.h"

#include <cmath>

namespace tilerig::compiler {

namespace {

using namespace graph;

// How one axis is resized.
struct ResizedAxis {
  int64_t in = 1, out = 1;
  double scale = 1;         // ratio of output size to input size, as stated by the node
  float length = 1;         // size of the result before it is rounded to an integer
  float begin = 0, end = 1; // the region that is cropped, as fractions of the axis

  bool changes() const { return in != out || scale != 1 || begin != 0 || end != 1; }
};

// The scale that all axes with a stated size share because the aspect ratio is kept.
double commonScale(ResizeOp op) {
  const auto input = shapeOf(op.getInput());
  std::optional<double> scale;
  for (size_t i = 0; i < input.size(); ++i) {
    if (op.getSizes()[i] < 0 || input[i] == 0)
      continue;
    const double own = static_cast<double>(op.getSizes()[i]) / static_cast<double>(input[i]);
    scale = !scale                                       ? own
            : op.getPolicy() == AspectPolicy::not_larger ? std::min(*scale, own)
                                                         : std::max(*scale, own);
  }
  return scale.value_or(1);
}

ResizedAxis axisOf(ResizeOp op, size_t i) {
  ResizedAxis axis;
  axis.in = shapeOf(op.getInput())[i];
  axis.out = shapeOf(op.getOutput())[i];
  axis.length = static_cast<float>(axis.out);
  if (op.getSizes().empty()) {
    axis.scale = static_cast<double>(op.getScales()[i]);
    axis.length = op.getScales()[i] * static_cast<float>(axis.in);
  } else if (op.getSizes()[i] >= 0) {
    const bool isStretched = op.getPolicy() == AspectPolicy::stretch;
    axis.scale = isStretched ? static_cast<double>(axis.out) / static_cast<double>(axis.in) : commonScale(op);
    if (!isStretched)
      axis.length = static_cast<float>(axis.scale * static_cast<double>(axis.in));
  }
  if (op.getCoordinates() == Coordinates::tf_crop_and_resize) {
    axis.begin = op.getRegion()[i];
    axis.end = op.getRegion()[i + op.getRegion().size() / 2];
  }
  return axis;
}

// The coordinate on the input axis of an element of the result, in the arithmetic of type Real.
template <class Real>
Real coordinateOf(Coordinates mode, const ResizedAxis &axis, int64_t index) {
  const auto x = static_cast<Real>(index), in = static_cast<Real>(axis.in), out = static_cast<Real>(axis.out),
             scale = static_cast<Real>(axis.scale), length = static_cast<Real>(axis.length),
             begin = static_cast<Real>(axis.begin), end = static_cast<Real>(axis.end);
  constexpr Real half = Real(0.5);
  const Real halfPixel = (x + half) / scale - half;
  switch (mode) {
  case Coordinates::half_pixel:
    return halfPixel;
  case Coordinates::half_pixel_symmetric:
    return in / 2 * (1 - out / length) + (x + half) / scale - half;
  case Coordinates::pytorch_half_pixel:
    return axis.out > 1 ? halfPixel : Real(0);
  case Coordinates::align_corners:
    return length == 1 ? Real(0) : x * (in - 1) / (length - 1);
  case Coordinates::asymmetric:
    return x / scale;
  case Coordinates::tf_half_pixel_for_nn:
    return (x + half) / scale;
  case Coordinates::tf_crop_and_resize:
    return axis.out > 1 ? begin * (in - 1) + x * (end - begin) * (in - 1) / (out - 1)
                        : half * (begin + end) * (in - 1);
  }
  llvm_unreachable("all modes of coordinates");
}

int64_t nearestTo(NearestMode mode, float coordinate) {
  const float below = std::floor(coordinate), beyond = coordinate - below;
  switch (mode) {
  case NearestMode::round_prefer_floor:
    return static_cast<int64_t>(below) + (beyond > 0.5f ? 1 : 0);
  case NearestMode::round_prefer_ceil:
    return static_cast<int64_t>(below) + (beyond >= 0.5f ? 1 : 0);
  case NearestMode::floor:
    return static_cast<int64_t>(below);
  case NearestMode::ceil:
    return static_cast<int64_t>(std::ceil(coordinate));
  }
  llvm_unreachable("four modes");
}

// The weight of an element at this distance: that of linear interpolation, or of the cubic convolution of Keys with the
// coefficient `a`.
double weightAt(graph::ResizeMode mode, double a, double distance) {
  const double d = std::abs(distance);
  if (mode == graph::ResizeMode::linear)
    return std::max(0.0, 1 - d);
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// The weights of all elements of an axis for the element of the result at this coordinate. Antialiasing widens the
// filter by 1 / scale where an axis shrinks. Elements outside repeat those at the border, or are left out.
std::vector<double> weightsAt(ResizeOp op, const ResizedAxis &axis, double coordinate) {
  const graph::ResizeMode mode = op.getMode();
  const auto a = static_cast<double>(op.getCubicCoefficient().convertToFloat());
  const bool isWidened = op.getAntialias() && axis.scale < 1;
  const double density = isWidened ? axis.scale : 1;
  const double reach = (mode == graph::ResizeMode::linear ? 1 : 2) / density;
  const auto below = static_cast<int64_t>(std::floor(coordinate)),
             width = static_cast<int64_t>(std::ceil(reach));
  std::vector<double> weights(static_cast<size_t>(axis.in), 0);
  double sum = 0, sumInside = 0;
  const auto forEachTap = [&](auto use) {
    for (int64_t place = below - width; place <= below + width + 1; ++place)
      use(place, weightAt(mode, a, (static_cast<double>(place) - coordinate) * density));
  };
  forEachTap([&](int64_t place, double weight) {
    sum += weight;
    sumInside += place >= 0 && place < axis.in ? weight : 0;
  });
  const bool excludes = op.getExcludeOutside() && sumInside != 0;
  const double total = excludes ? sumInside : isWidened ? sum : 1;
  forEachTap([&](int64_t place, double weight) {
    const bool isOutside = place < 0 || place >= axis.in;
    if (!isOutside || !excludes)
      weights[static_cast<size_t>(std::clamp<int64_t>(place, 0, axis.in - 1))] += weight / total;
  });
  return weights;
}

class AxisResizer {
public:
  AxisResizer(ResizeOp op, LayerBuilder &to) : op(op), to(to) {}

  mlir::Value nearest(mlir::Value x, size_t d, const ResizedAxis &axis) {
    Tensor indices(DType::i64, {axis.out});
    for (int64_t i = 0; i < axis.out; ++i) {
      const auto coordinate = coordinateOf<float>(op.getCoordinates(), axis, i);
      indices.mutableAs<int64_t>()[static_cast<size_t>(i)] = std::clamp<int64_t>(
          nearestTo(op.getNearest(), std::clamp(coordinate, -1.0f, static_cast<float>(axis.in))), 0,
          axis.in - 1);
    }
    Ints shape(shapeOf(x));
    shape[d] = axis.out;
    const mlir::Value places = to.constant(indices, "nearest");
    return to.make<layer::GatherOp>(shape, x, places, static_cast<uint64_t>(d));
  }

  mlir::Value interpolated(mlir::Value x, size_t d, const ResizedAxis &axis) {
    const auto rank = static_cast<int64_t>(shapeOf(x).size());
    Ints order, inverse(static_cast<size_t>(rank));
    for (int64_t i = 0; i < rank; ++i)
      if (i != static_cast<int64_t>(d))
        order.push_back(i);
    order.push_back(static_cast<int64_t>(d));
    for (int64_t i = 0; i < rank; ++i)
      inverse[static_cast<size_t>(order[static_cast<size_t>(i)])] = i;
    const bool isLast = static_cast<int64_t>(d) == rank - 1;
    const mlir::Value rows = isLast ? x : to.transpose(x, order);
    Ints shape(shapeOf(rows));
    const mlir::Value matrix = to.reshape(rows, {tensorType(rows).getNumElements() / axis.in, axis.in});
    const mlir::Value factors = weights(axis, x);
    const mlir::Value product = multiply(matrix, factors, /*transposedB=*/true, {}, {}, to);
    shape.back() = axis.out;
    const mlir::Value result = to.reshape(product, shape);
    return isLast ? result : to.transpose(result, inverse);
  }

  // The elements that lie outside of the input get the value for extrapolation.
  mlir::Value extrapolated(mlir::Value y, size_t d, const ResizedAxis &axis) {
    tilerig::Shape shape(shapeOf(y).size(), 1);
    shape[d] = axis.out;
    Tensor outside(DType::boolean, shape);
    bool isAny = false;
    for (int64_t i = 0; i < axis.out; ++i) {
      const double coordinate = op.getMode() == graph::ResizeMode::nearest
                                    ? static_cast<double>(coordinateOf<float>(op.getCoordinates(), axis, i))
                                    : coordinateOf<double>(op.getCoordinates(), axis, i);
      const bool isOutside = !(coordinate >= 0 && coordinate <= static_cast<double>(axis.in - 1));
      outside.mutableAs<bool>()[static_cast<size_t>(i)] = isOutside;
      isAny |= isOutside;
    }
    const auto value = static_cast<double>(op.getExtrapolation().convertToFloat());
    if (!isAny)
      return y;
    const mlir::Value condition = to.constant(outside, "outside");
    return to.select(condition, to.number(value, y), y);
  }

private:
  // The matrix of weights, [elements of the axis, elements of the result].
  mlir::Value weights(const ResizedAxis &axis, mlir::Value like) {
    std::vector<double> matrix(static_cast<size_t>(axis.in * axis.out));
    for (int64_t i = 0; i < axis.out; ++i) {
      const auto coordinate = std::clamp(coordinateOf<double>(op.getCoordinates(), axis, i), -16.0,
                                         static_cast<double>(axis.in) + 16);
      const std::vector<double> column = weightsAt(op, axis, coordinate);
      for (int64_t k = 0; k < axis.in; ++k)
        matrix[static_cast<size_t>(k * axis.out + i)] = column[static_cast<size_t>(k)];
    }
    const DType type = *dtypeOfElement(tensorType(like).getElementType());
    return to.constant(floatTensor(type, {axis.in, axis.out}, matrix), "weights");
  }

  ResizeOp op;
  LayerBuilder &to;
};

} // namespace

Lowered resizeAxes(ResizeOp op, LayerBuilder &to) {
  const bool isNearest = op.getMode() == graph::ResizeMode::nearest,
             crops = op.getCoordinates() == Coordinates::tf_crop_and_resize;
  if ((!isNearest || crops) && !llvm::isa<mlir::FloatType>(tensorType(op.getInput()).getElementType()))
    return noLayer("interpolation of integers is not supported by the accelerator");
  // Interpolation is a product with a dense matrix, so the axes of a picture may not be arbitrarily long.
  constexpr int64_t mostWeights = 1 << 24;
  AxisResizer resizer(op, to);
  mlir::Value result = op.getInput();
  const size_t rank = shapeOf(result).size();
  for (size_t d = 0; !isNearest && d < rank; ++d)
    if (const ResizedAxis axis = axisOf(op, d);
        axis.changes() && axis.in > 0 && axis.out > mostWeights / axis.in)
      return noLayer("the matrix of the interpolation would have more than 2^24 elements");
  for (size_t d = rank; d-- > 0;)
    if (const ResizedAxis axis = axisOf(op, d); axis.changes())
      result = isNearest ? resizer.nearest(result, d, axis) : resizer.interpolated(result, d, axis);
  for (size_t d = 0; crops && d < rank; ++d)
    if (const ResizedAxis axis = axisOf(op, d); axis.changes())
      result = resizer.extrapolated(result, d, axis);
  if (result == op.getInput()) // a copy
    result = to.make<layer::ActivateOp>(shapeOf(result), result, layer::FunctionAttr());
  return lowered(result);
}

} // namespace tilerig::compiler
