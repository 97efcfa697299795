// The operators QLinearConv, ConvInteger, QLinearMatMul and MatMulInteger.
//
// Sums of products of 8-bit integers are computed exactly in floating point, for which there are fast
// kernels: in float as long as no sum can exceed 2^24, otherwise in double. Any order of summation therefore
// gives the same integer. Zero points are subtracted first, so that padding is zero.
#include "reference/Ops/Convolve.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Products.h"
#include "reference/Ops/Quantise.h"
#include "reference/Run/Scratch.h"

#include <array>
#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// An 8-bit operand and its zero points, which may vary along one axis.
struct Eight {
  const Tensor &tensor;
  std::vector<int32_t> zeros; // a single zero point, or the zero point of each index along the axis
  int64_t size = 1, inner = 1;

  int32_t zeroOf(int64_t element) const {
    return zeros.size() == 1 ? zeros[0] : zeros[static_cast<size_t>(element / inner % size)];
  }
};

bool isEight(DType type) { return type == DType::u8 || type == DType::i8; }

template <class F>
auto withEight(const Tensor &tensor, F f) {
  return tensor.dtype() == DType::u8 ? f(tensor.as<uint8_t>()) : f(tensor.as<int8_t>());
}

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

// The axis along which zero points may vary: the rows of a left operand, the columns of a right operand.
size_t rowAxis(const Tensor &a) { return a.rank() >= 2 ? a.rank() - 2 : 0; }
size_t columnAxis(const Tensor &b) { return b.rank() >= 2 ? b.rank() - 1 : 1; }

Status convInteger(OpContext &context) {
  TILERIG_TRY(Eight x, eightBit(context, 0, 2, anyNumber));
  TILERIG_TRY(Eight w, eightBit(context, 1, 3, 0));
  TILERIG_TRY(context.outputs[0], convolveExactly(context, x, w));
  return success();
}

Status matMulInteger(OpContext &context) {
  TILERIG_TRY(Eight a, eightBit(context, 0, 2, rowAxis(context.input(0))));
  TILERIG_TRY(Eight b, eightBit(context, 1, 3, columnAxis(context.input(1))));
  TILERIG_TRY(context.outputs[0], multiplyExactly(context, a, b));
  return success();
}

// Reads input `index`, which must hold a single scale or `count` scales.
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

// Scales and zero point of a result: factor = (left scale * right scale) / result scale, with each step
// rounded to float.
struct Requantisation {
  std::vector<float> left, right; // scales: a single one, or those of all rows (left) or columns (right)
  float result;
  DType type;
  int32_t zeroPoint;

  float factor(int64_t row, int64_t column) const {
    float a = left.size() == 1 ? left[0] : left[static_cast<size_t>(row)];
    float b = right.size() == 1 ? right[0] : right[static_cast<size_t>(column)];
    float together = a * b;
    return together / result;
  }
};

// QLinearConv and QLinearMatMul have the same input order: the scales are inputs 1, 4 and 6, and the result's
// zero point is input 7.
Result<Requantisation> requantisation(const OpContext &context, int64_t rows, int64_t columns) {
  TILERIG_TRY(auto left, scales(context, 1, rows));
  TILERIG_TRY(auto right, scales(context, 4, columns));
  TILERIG_TRY(auto result, scales(context, 6, 1));
  const Tensor &zero = context.input(7);
  if (!isEight(zero.dtype()) || zero.elementCount() != 1)
    return context.invalid("the zero point of the result must be one int8 or uint8 number");
  int32_t zeroPoint = withEight(zero, [](auto elements) { return int32_t{elements[0]}; });
  return Requantisation{std::move(left), std::move(right), result[0], zero.dtype(), zeroPoint};
}

template <class Integer>
void requantiseRun(const int32_t *from, Integer *to, int64_t size, float factor, int32_t zeroPoint) {
  for (int64_t i = 0; i < size; ++i)
    to[i] = requantise<Integer>(from[i], factor, zeroPoint);
}

// Converts the int32 sums of products to 8-bit results (requantisation), after adding bias[column] to each
// sum unless `bias` is null. `sums` is a stack of arrays of rows × columns × inner numbers.
template <class Integer>
void requantiseSums(const Requantisation &by, std::span<int32_t> sums, int64_t rows, int64_t columns,
                    int64_t inner, const int32_t *bias, Tensor &y) {
  Integer *to = y.mutableAs<Integer>().data();
  int64_t runs = inner == 0 ? 0 : static_cast<int64_t>(sums.size()) / inner;
  for (int64_t run = 0; run < runs; ++run) {
    int64_t column = run % columns, row = run / columns % rows;
    std::span<int32_t> part = sums.subspan(static_cast<size_t>(run * inner), static_cast<size_t>(inner));
    if (bias)
      for (int32_t &sum : part)
        sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(bias[column]));
    requantiseRun(part.data(), to + run * inner, inner, by.factor(row, column), by.zeroPoint);
  }
}

Status finish(OpContext &context, const Requantisation &by, Tensor sums, int64_t rows, int64_t columns,
              int64_t inner, const int32_t *bias) {
  TILERIG_TRY(Tensor y, Tensor::makeUninitialised(by.type, sums.shape()));
  if (by.type == DType::u8)
    requantiseSums<uint8_t>(by, sums.mutableAs<int32_t>(), rows, columns, inner, bias, y);
  else
    requantiseSums<int8_t>(by, sums.mutableAs<int32_t>(), rows, columns, inner, bias, y);
  context.outputs[0] = std::move(y);
  return success();
}

Status qLinearConv(OpContext &context) {
  TILERIG_TRY(Eight x, eightBit(context, 0, 2, anyNumber));
  TILERIG_TRY(Eight w, eightBit(context, 3, 5, 0));
  int64_t channels = w.tensor.rank() == 0 ? 0 : w.tensor.shape()[0];
  TILERIG_TRY(Requantisation by, requantisation(context, 1, channels));
  const int32_t *bias = nullptr;
  if (context.has(8)) {
    const Tensor &tensor = context.input(8);
    if (tensor.dtype() != DType::i32 || tensor.shape() != Shape{channels})
      return context.invalid(fmt::format("the bias must be {} numbers of type int32", channels));
    bias = tensor.as<int32_t>().data();
  }
  TILERIG_TRY(Tensor sums, convolveExactly(context, x, w));
  int64_t planes = sums.shape()[0] * channels;
  int64_t inner = planes == 0 ? 0 : static_cast<int64_t>(sums.elementCount()) / planes;
  return finish(context, by, std::move(sums), 1, channels, inner, bias);
}

Status qLinearMatMul(OpContext &context) {
  TILERIG_TRY(Eight a, eightBit(context, 0, 2, rowAxis(context.input(0))));
  TILERIG_TRY(Eight b, eightBit(context, 3, 5, columnAxis(context.input(3))));
  const Shape &left = a.tensor.shape(), &right = b.tensor.shape();
  int64_t rows = left.size() >= 2 ? left.end()[-2] : 1, columns = right.size() >= 2 ? right.back() : 1;
  TILERIG_TRY(Requantisation by, requantisation(context, rows, columns));
  TILERIG_TRY(Tensor sums, multiplyExactly(context, a, b));
  return finish(context, by, std::move(sums), rows, columns, 1, nullptr);
}

} // namespace

std::span<const OpEntry> quantisedProductOps() {
  static constexpr OpEntry entries[] = {
      {"QLinearConv", 10, 8, 9, qLinearConv},
      {"ConvInteger", 10, 2, 4, convInteger},
      {"QLinearMatMul", 10, 8, 8, qLinearMatMul},
      {"MatMulInteger", 10, 2, 4, matMulInteger},
  };
  return entries;
}

} // namespace tilerig::reference
