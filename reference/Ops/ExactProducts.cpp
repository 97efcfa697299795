#include "reference/Ops/ExactProducts.h"

#include "reference/Ops/Convolve.h"
#include "reference/Ops/Products.h"
#include "reference/Run/Scratch.h"

#include <array>
#include <fmt/core.h>

namespace tilerig::reference {

namespace {

template <class T>
Scratch<T> centred(const Eight &operand) {
  Scratch<T> result(static_cast<int64_t>(operand.tensor.elementCount()));
  withEight(operand.tensor, [&](auto elements) {
    for (size_t i = 0; i < elements.size(); ++i)
      result.data()[i] = static_cast<T>(elements[i] - operand.zeroOf(static_cast<int64_t>(i)));
  });
  return result;
}

int64_t greatestMagnitude(const Eight &operand) {
  int64_t result = 0;
  withEight(operand.tensor, [&](auto elements) {
    for (size_t i = 0; i < elements.size(); ++i)
      result = std::max<int64_t>(result, std::abs(elements[i] - operand.zeroOf(static_cast<int64_t>(i))));
  });
  return result;
}

// Whether every partial sum of `depth` products is exact in float.
bool fitsFloat(const Eight &a, const Eight &b, int64_t depth) {
  int64_t each = greatestMagnitude(a) * greatestMagnitude(b);
  return each == 0 || depth <= (int64_t{1} << 24) / each;
}

// Calls compute(a, b, y) with the operands minus their zero points, as type T. The callee fills y with exact
// sums, which are then converted to int32 with wrap-around.
template <class T, class Compute>
Result<Tensor> exactSumsIn(const Eight &a, const Eight &b, const Shape &shape, Compute compute) {
  TILERIG_TRY(Tensor sums, Tensor::makeUninitialised(DType::i32, shape));
  TILERIG_TRY(Tensor wide, Tensor::makeUninitialised(dtypeOf<T>, shape));
  auto left = centred<T>(a), right = centred<T>(b);
  auto from = wide.mutableAs<T>();
  compute(left.data(), right.data(), from.data());
  std::transform(from.begin(), from.end(), sums.mutableAs<int32_t>().begin(),
                 [](T sum) { return static_cast<int32_t>(static_cast<int64_t>(sum)); });
  return sums;
}
template <class Compute>
Result<Tensor> exactSums(const Eight &a, const Eight &b, int64_t depth, const Shape &shape, Compute compute) {
  if (fitsFloat(a, b, depth))
    return exactSumsIn<float>(a, b, shape, compute);
  return exactSumsIn<double>(a, b, shape, compute);
}

} // namespace

Result<Eight> eightBit(const OpContext &context, size_t operand, size_t zeroPoint, size_t axis) {
  const Tensor &tensor = context.input(operand);
  if (!isEight(tensor.dtype()))
    return context.invalid(
        fmt::format("input {} has type {}, expected int8 or uint8", operand, nameOf(tensor.dtype())));
  Eight result{tensor, {0}};
  if (!context.has(zeroPoint))
    return result;
  const Tensor &zero = context.input(zeroPoint);
  if (zero.dtype() != tensor.dtype())
    return context.invalid(fmt::format("input {} and its zero point must have the same type", operand));
  if (zero.elementCount() != 1) {
    if (axis >= tensor.rank() || zero.shape() != Shape{tensor.shape()[axis]})
      return context.invalid(fmt::format("a zero point of shape {} does not match input {} of shape {}",
                                         showShape(zero.shape()), operand, showShape(tensor.shape())));
    result.size = tensor.shape()[axis];
    for (size_t d = axis + 1; d < tensor.rank(); ++d)
      result.inner *= tensor.shape()[d];
  }
  withEight(zero, [&](auto elements) { result.zeros.assign(elements.begin(), elements.end()); });
  return result;
}

Result<std::vector<float>> scales(const OpContext &context, size_t index, int64_t count) {
  const Tensor &tensor = context.input(index);
  if (tensor.elementCount() != 1 && tensor.shape() != Shape{count})
    return context.invalid(
        fmt::format("a scale has shape {}, expected one or {} elements", showShape(tensor.shape()), count));
  auto copy = [](auto elements) { return std::vector<float>(elements.begin(), elements.end()); };
  if (tensor.dtype() == DType::f32)
    return copy(tensor.as<float>());
  if (tensor.dtype() == DType::f64)
    return copy(tensor.as<double>());
  return context.invalid(fmt::format("a scale has type {}, expected a float type", nameOf(tensor.dtype())));
}

Result<Tensor> convolveExactly(OpContext &context, const Eight &x, const Eight &w) {
  TILERIG_TRY(ConvolutionShape shape, convolutionShape(context, x.tensor.shape(), w.tensor.shape()));
  Shape result = outputShape(std::array{x.tensor.shape()[0], w.tensor.shape()[0]}, shape.window);
  int64_t depth = shape.channelsIn * countTaps(shape.window);
  return exactSums(x, w, depth, result, [&]<class T>(const T *a, const T *b, T *y) {
    convolve<T>(shape, a, b, packWeights(shape, b, context.threads), nullptr, y, Arithmetic::fast,
                context.threads);
  });
}

Result<Tensor> multiplyExactly(OpContext &context, const Eight &a, const Eight &b) {
  TILERIG_TRY(ProductShape shape, productShape(context, a.tensor.shape(), b.tensor.shape()));
  return exactSums(a, b, shape.depth, shape.result, [&]<class T>(const T *left, const T *right, T *y) {
    multiplyBatches(shape, left, right, y, Arithmetic::fast, context.threads);
  });
}

} // namespace tilerig::reference
