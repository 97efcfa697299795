// Matrix products of 8-bit integers of ONNX Runtime, with its bits: MatMulIntegerToFloat, DynamicQuantizeMatMul
// and QGemm.
#include "reference/Ops/Broadcast.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"
#include "reference/Ops/QuantisedGrid.h"
#include "reference/Ops/StridedCopy.h"

#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// Exact sums times scales, one or one for each column, plus an optional bias (input `bias`).
template <class T>
Status scaleSums(OpContext &context, const Tensor &sums, std::span<const T> factors, size_t bias) {
  TILERIG_TRY(Tensor y, Tensor::makeUninitialised(dtypeOf<T>, sums.shape()));
  const auto columns = static_cast<size_t>(sums.rank() == 0 ? 1 : sums.shape().back());
  std::vector<T> addends;
  if (context.has(bias)) {
    TILERIG_TRY(addends, floatsAs<T>(context, context.input(bias)));
    if (context.input(bias).shape() != Shape{static_cast<int64_t>(columns)})
      return context.invalid(fmt::format("the bias has shape {}, expected {} elements",
                                         showShape(context.input(bias).shape()), columns));
  }
  auto from = sums.as<int32_t>();
  auto to = y.mutableAs<T>();
  for (size_t i = 0; i < to.size(); ++i) {
    const T product = static_cast<T>(from[i]) * factors[factors.size() == 1 ? 0 : i % columns];
    to[i] = addends.empty() ? product : product + addends[i % columns];
  }
  context.outputs[0] = std::move(y);
  return success();
}

// The scales of the right operand (input `index`): one, or one for each column.
template <class T>
Result<std::vector<T>> columnScales(const OpContext &context, size_t index, const Tensor &b) {
  TILERIG_TRY(std::vector<T> values, floatsAs<T>(context, context.input(index)));
  const int64_t columns = b.rank() >= 2 ? b.shape().back() : 1;
  if (values.size() != 1 && context.input(index).shape() != Shape{columns})
    return context.invalid(fmt::format("a scale has shape {}, expected one or {} elements",
                                       showShape(context.input(index).shape()), columns));
  return values;
}

Status matMulIntegerToFloat(OpContext &context) {
  TILERIG_TRY(Eight a, eightBit(context, 0, 4, anyNumber));
  TILERIG_TRY(Eight b, eightBit(context, 1, 5, columnAxis(context.input(1))));
  if (context.input(2).elementCount() != 1)
    return context.invalid(fmt::format("the scale of the left operand has shape {}, expected one element",
                                       showShape(context.input(2).shape())));
  TILERIG_TRY(Tensor sums, multiplyExactly(context, a, b));
  return withFloats(context, context.input(2), [&]<class T>() -> Status {
    TILERIG_TRY(std::vector<T> factors, columnScales<T>(context, 3, b.tensor));
    for (T &factor : factors)
      factor = context.input(2).as<T>()[0] * factor;
    return scaleSums<T>(context, sums, factors, 6);
  });
}

// Input 0, quantised to its range as by DynamicQuantizeLinear.
template <class T>
struct QuantisedInput {
  Tensor tensor;
  T scale;
  int32_t zero;
};

template <class T>
QuantisedInput<T> quantisedInput(const Tensor &input) {
  const auto x = input.as<T>();
  T least = 0, greatest = 0;
  for (T value : x) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  const T scale = least == greatest ? T(1) : (greatest - least) / T(255);
  const int32_t zero = roundToInteger<uint8_t>((T(0) - least) / scale, 0);
  Tensor tensor(DType::u8, input.shape());
  std::ranges::transform(x, tensor.mutableAs<uint8_t>().begin(),
                         [=](T value) { return roundToInteger<uint8_t>(value / scale, zero); });
  return {std::move(tensor), scale, zero};
}

Status dynamicQuantizeMatMul(OpContext &context) {
  TILERIG_TRY(Eight b, eightBit(context, 1, 3, columnAxis(context.input(1))));
  return withFloats(context, [&]<class T>() -> Status {
    const QuantisedInput<T> a = quantisedInput<T>(context.input(0));
    TILERIG_TRY(Tensor sums, multiplyExactly(context, Eight{a.tensor, {a.zero}}, b));
    TILERIG_TRY(std::vector<T> factors, columnScales<T>(context, 2, b.tensor));
    for (T &factor : factors)
      factor = a.scale * factor;
    return scaleSums<T>(context, sums, factors, 4);
  });
}

// --- QGemm ---

Result<Tensor> maybeTransposed(const OpContext &context, size_t index, std::string_view attribute) {
  const Tensor &tensor = context.input(index);
  if (tensor.rank() != 2)
    return context.invalid(
        fmt::format("input {} has shape {}, expected a matrix", index, showShape(tensor.shape())));
  TILERIG_TRY(int64_t transposes, context.intAttribute(attribute, 0));
  if (transposes == 0)
    return tensor;
  StridedView view = viewOf(tensor);
  std::swap(view.shape[0], view.shape[1]);
  std::swap(view.strides[0], view.strides[1]);
  return stridedCopy(tensor, view, context.threads);
}

// Adds input 6, integers that are broadcast to the shape of the sums.
Status addIntegers(const OpContext &context, Tensor &sums) {
  const Tensor &addend = context.input(6);
  TILERIG_TRY(Shape together, broadcastShape(context, std::array{addend.shape(), sums.shape()}));
  if (addend.dtype() != DType::i32 || together != sums.shape())
    return context.invalid(fmt::format("C has type {} and shape {}, expected int32 and a shape that can be "
                                       "broadcast to {}",
                                       nameOf(addend.dtype()), showShape(addend.shape()),
                                       showShape(sums.shape())));
  BroadcastLoop<1> loop(sums.shape(), {addend.shape()});
  int32_t *to = sums.mutableAs<int32_t>().data();
  const int32_t *from = addend.as<int32_t>().data();
  for (int64_t row = 0; row < loop.rows; ++row)
    for (int64_t i = 0, at = loop.startOf(row)[0]; i < loop.inner; ++i, ++to)
      *to = static_cast<int32_t>(static_cast<uint32_t>(*to) +
                                 static_cast<uint32_t>(from[at + i * loop.innerStride(0)]));
  return success();
}

// Quantises sums to the grid of the result; each column has its factor, or all have the same.
template <class T>
Result<Tensor> requantised(const Tensor &sums, std::span<const float> factors, const Grid &to) {
  TILERIG_TRY(Tensor y, Tensor::makeUninitialised(dtypeOf<T>, sums.shape()));
  auto from = sums.as<int32_t>();
  auto results = y.template mutableAs<T>();
  const auto columns = static_cast<size_t>(sums.shape().back());
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = requantise<T>(from[i], factors[factors.size() == 1 ? 0 : i % columns] / to.scale, to.zero);
  return y;
}

// The operator QGemm: inputs are A, its scale and zero point, B with its own, C, and scale and zero point of the
// result. Without these two the result is a float.
Status qGemm(OpContext &context) {
  TILERIG_TRY(float alpha, context.floatAttribute("alpha", 1.0f));
  TILERIG_TRY(Tensor a, maybeTransposed(context, 0, "transA"));
  TILERIG_TRY(Tensor b, maybeTransposed(context, 3, "transB"));
  const int64_t columns = b.shape()[1];
  TILERIG_TRY(Grid gridA, gridOf(context, 1, 2, a.dtype()));
  TILERIG_TRY(std::vector<float> factors, scales(context, 4, columns));
  TILERIG_TRY(int64_t transposesB, context.intAttribute("transB", 0));
  TILERIG_TRY(Eight stored, eightBit(context, 3, 5, transposesB != 0 ? 0 : 1));
  const Eight operandB{b, stored.zeros, columns, 1};
  TILERIG_TRY(Tensor sums, multiplyExactly(context, Eight{a, {gridA.zero}}, operandB));
  if (context.has(6))
    TILERIG_CHECK_OK(addIntegers(context, sums));
  for (float &factor : factors)
    factor = alpha * gridA.scale * factor;
  if (!context.has(7)) {
    if (context.input(1).dtype() == DType::f64)
      return scaleSums<double>(context, sums, std::vector<double>(factors.begin(), factors.end()), anyNumber);
    return scaleSums<float>(context, sums, factors, anyNumber);
  }
  TILERIG_TRY(Grid to, gridOf(context, 7, 8, a.dtype()));
  return forEight(a.dtype(), [&]<class T>() -> Status {
    TILERIG_TRY(context.outputs[0], requantised<T>(sums, factors, to));
    return success();
  });
}

} // namespace

std::span<const OpEntry> scaledProductOps() {
  static constexpr OpEntry entries[] = {
      {"DynamicQuantizeMatMul", 1, 3, 5, dynamicQuantizeMatMul, HalfFloats::widened, "com.microsoft"},
      {"MatMulIntegerToFloat", 1, 4, 7, matMulIntegerToFloat, HalfFloats::widened, "com.microsoft"},
      {"QGemm", 1, 6, 9, qGemm, HalfFloats::widened, "com.microsoft"},
  };
  return entries;
}

} // namespace tilerig::reference
