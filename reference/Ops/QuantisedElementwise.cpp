// Elementwise operators of ONNX Runtime on 8-bit integers: QLinearAdd, QLinearMul, QLinearLeakyRelu,
// QLinearSigmoid and QLinearConcat.
//
// Each has the bits of ONNX Runtime on x86 processors with FMA. They differ from those of DequantizeLinear,
// the operator and QuantizeLinear where a result lies near a tie, because the steps are rounded differently.
#include "reference/Ops/Broadcast.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/QuantisedGrid.h"
#include "reference/Ops/StridedCopy.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// The three grids of a binary operator: inputs are a, its scale and zero point, b with its own, then those of
// the result.
struct Grids {
  Grid a, b, y;
};

Result<Grids> gridsOf(const OpContext &context) {
  const DType type = context.input(0).dtype();
  TILERIG_CHECK_OK(needInput(context, 3));
  if (context.input(3).dtype() != type)
    return context.invalid(fmt::format("the operands have the types {} and {}, expected one type",
                                       nameOf(type), nameOf(context.input(3).dtype())));
  TILERIG_TRY(Grid a, gridOf(context, 1, 2, type));
  TILERIG_TRY(Grid b, gridOf(context, 4, 5, type));
  TILERIG_TRY(Grid y, gridOf(context, 6, 7, type));
  return Grids{a, b, y};
}

// Whether ONNX Runtime repeats an element of the first operand along the innermost axis of the result, or has one
// element of each operand there; it then exchanges the operands of the sum. The innermost axis is the last one that
// has more than one element; only axes that both operands have are considered, and the last axis.
bool repeatsFirst(const Shape &a, const Shape &b) {
  const auto sizeFromEnd = [](const Shape &shape, size_t axis) {
    return axis < shape.size() ? shape[shape.size() - 1 - axis] : 1;
  };
  const size_t axes = std::max<size_t>(1, std::min(a.size(), b.size()));
  for (size_t axis = 0; axis < axes; ++axis)
    if (sizeFromEnd(a, axis) != 1 || sizeFromEnd(b, axis) != 1)
      return sizeFromEnd(a, axis) == 1;
  return true;
}

// The operator QLinearAdd: a and b times the quotients of their scales and the result's, plus a constant that
// collects all zero points, by two fused multiply-adds.
Status qLinearAdd(OpContext &context) {
  TILERIG_TRY(Grids grids, gridsOf(context));
  const Shape &left = context.input(0).shape(), &right = context.input(3).shape();
  const bool exchanged = repeatsFirst(left, right);
  const float a = grids.a.scale / grids.y.scale, b = grids.b.scale / grids.y.scale;
  const auto zeroA = static_cast<float>(grids.a.zero), zeroB = static_cast<float>(grids.b.zero);
  const float product = exchanged ? a * zeroA : b * zeroB;
  const float constant = static_cast<float>(grids.y.zero) -
                         (exchanged ? std::fma(b, zeroB, product) : std::fma(a, zeroA, product));
  return forEight(context.input(0).dtype(), [&]<class T>() {
    return mapBroadcast<T, T>(context, context.input(0), context.input(3), [=](T x, T z) {
      const auto first = static_cast<float>(x), second = static_cast<float>(z);
      return roundedWithZero<T>(exchanged ? std::fma(b, second, std::fma(a, first, constant))
                                          : std::fma(a, first, std::fma(b, second, constant)));
    });
  });
}

// The operator QLinearMul: the exact product of the integers times one factor; the zero point is added before
// rounding.
Status qLinearMul(OpContext &context) {
  TILERIG_TRY(Grids grids, gridsOf(context));
  const float scale = grids.a.scale * grids.b.scale, factor = scale / grids.y.scale;
  const auto zero = static_cast<float>(grids.y.zero);
  return forEight(context.input(0).dtype(), [&]<class T>() {
    return mapBroadcast<T, T>(context, context.input(0), context.input(3), [=](T x, T z) {
      const int32_t product = (int32_t{x} - grids.a.zero) * (int32_t{z} - grids.b.zero);
      const float scaled = static_cast<float>(product) * factor;
      return roundedWithZero<T>(scaled + zero);
    });
  });
}

// Sets output 0 to f of every element of input 0, dequantised and quantised again. Inputs 1 and 2 are the grid
// of the operand, inputs 3 and 4 that of the result.
template <class F>
Status mapDequantised(OpContext &context, F f) {
  const DType type = context.input(0).dtype();
  TILERIG_TRY(Grid from, gridOf(context, 1, 2, type));
  TILERIG_TRY(Grid to, gridOf(context, 3, 4, type));
  return forEight(type, [&]<class T>() {
    Tensor tensor = context.take(0);
    for (T &element : tensor.mutableAs<T>())
      element = quantised<T>(f(dequantised(element, from)), to);
    context.outputs[0] = std::move(tensor);
    return success();
  });
}

Status qLinearLeakyRelu(OpContext &context) {
  TILERIG_TRY(float alpha, context.floatAttribute("alpha", 0.01f));
  return mapDequantised(context, [=](float x) { return x >= 0 ? x : alpha * x; });
}

// A polynomial in ascending steps of Horner's scheme, from the highest coefficient.
template <size_t count>
float polynomial(const float (&coefficients)[count], float x) {
  float sum = coefficients[0];
  for (size_t i = 1; i < count; ++i)
    sum = std::fma(sum, x, coefficients[i]);
  return sum;
}

// The logistic function as ONNX Runtime approximates it in float: 1/2 plus an odd rational function (a minimax
// approximation of degree 9 over 10), up to |x| = 18.
float approximateLogistic(float x) {
  constexpr float numerator[] = {4.37031012579801e-11f, 1.15627324459942e-07f, 6.08574864600143e-05f,
                                 8.51377133304701e-03f, 2.48287947061529e-01f};
  constexpr float denominator[] = {6.10247389755681e-13f, 5.76102136993427e-09f, 6.29106785017040e-06f,
                                   1.70198817374094e-03f, 1.16817656904453e-01f, 9.93151921023180e-01f};
  const float limited = std::clamp(x, -18.0f, 18.0f), square = limited * limited;
  const float above = polynomial(numerator, square) * limited;
  return std::clamp(above / polynomial(denominator, square) + 0.5f, 0.0f, 1.0f);
}

Status qLinearSigmoid(OpContext &context) { return mapDequantised(context, approximateLogistic); }

// Operand number `index` of QLinearConcat, converted to the grid of the result.
Result<Tensor> regridded(const OpContext &context, size_t index, const Grid &to) {
  Tensor tensor = context.input(index);
  TILERIG_TRY(Grid from, gridOf(context, index + 1, index + 2, tensor.dtype()));
  if (from == to)
    return tensor;
  TILERIG_CHECK_OK(forEight(tensor.dtype(), [&]<class T>() {
    for (T &element : tensor.mutableAs<T>())
      element = quantised<T>(dequantised(element, from), to);
    return success();
  }));
  return tensor;
}

// The operator QLinearConcat: scale and zero point of the result, then each operand with its own.
Status qLinearConcat(OpContext &context) {
  if (context.numInputs() < 5 || context.numInputs() % 3 != 2)
    return context.invalid(
        fmt::format("the node has {} inputs, expected two for the result and three for each operand",
                    context.numInputs()));
  const DType type = context.input(2).dtype();
  TILERIG_TRY(Grid to, gridOf(context, 0, 1, type));
  TILERIG_TRY(int64_t signedAxis, context.intAttribute("axis"));
  Shape shape = context.input(2).shape();
  TILERIG_TRY(size_t axis, context.axis(signedAxis, shape.size()));
  shape[axis] = 0;
  std::vector<Tensor> parts;
  for (size_t i = 2; i < context.numInputs(); i += 3) {
    Shape expected = context.input(i).shape();
    if (context.input(i).dtype() != type || expected.size() != shape.size())
      return context.invalid(
          fmt::format("operand {} has type {} and shape {}, but the first has type {} and {} axes", i,
                      nameOf(context.input(i).dtype()), showShape(expected), nameOf(type), shape.size()));
    shape[axis] += expected[axis];
    expected[axis] = shape[axis];
    if (expected != shape)
      return context.invalid(fmt::format("operand {} of shape {} cannot be joined to the first, of shape {}",
                                         i, showShape(context.input(i).shape()),
                                         showShape(context.input(2).shape())));
    TILERIG_TRY(parts.emplace_back(), regridded(context, i, to));
  }
  TILERIG_TRY(Tensor whole, Tensor::makeUninitialised(type, shape));
  Shape begin(shape.size(), 0);
  for (const Tensor &part : parts) {
    insertBox(whole, part, begin);
    begin[axis] += part.shape()[axis];
  }
  context.outputs[0] = std::move(whole);
  return success();
}

} // namespace

std::span<const OpEntry> quantisedElementwiseOps() {
  static constexpr OpEntry entries[] = {
      {"QLinearAdd", 1, 2, 8, qLinearAdd, HalfFloats::widened, "com.microsoft"},
      {"QLinearConcat", 1, 1, anyNumber, qLinearConcat, HalfFloats::widened, "com.microsoft"},
      {"QLinearLeakyRelu", 1, 2, 5, qLinearLeakyRelu, HalfFloats::widened, "com.microsoft"},
      {"QLinearMul", 1, 2, 8, qLinearMul, HalfFloats::widened, "com.microsoft"},
      {"QLinearSigmoid", 1, 2, 5, qLinearSigmoid, HalfFloats::widened, "com.microsoft"},
  };
  return entries;
}

} // namespace tilerig::reference
