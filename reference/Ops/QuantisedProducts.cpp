// The operators QLinearConv, ConvInteger, QLinearMatMul and MatMulInteger.
#include "reference/Ops/ExactProducts.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Quantise.h"

#include <fmt/core.h>

namespace tilerig::reference {

namespace {

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
