// Exact sums of products of 8-bit integers, for all operators on quantised integers.
//
// The sums are computed in floating point, for which there are fast kernels: in float as long as no sum can
// exceed 2^24, otherwise in double. Any order of summation therefore gives the same integer. Zero points are
// subtracted first, so that padding is zero.
#pragma once

#include "reference/Run/Operator.h"

#include <vector>

namespace tilerig::reference {

inline bool isEight(DType type) { return type == DType::u8 || type == DType::i8; }

template <class F>
auto withEight(const Tensor &tensor, F f) {
  return tensor.dtype() == DType::u8 ? f(tensor.as<uint8_t>()) : f(tensor.as<int8_t>());
}

// An 8-bit operand and its zero points, which may vary along one axis.
struct Eight {
  const Tensor &tensor;
  std::vector<int32_t> zeros; // a single zero point, or the zero point of each index along the axis
  int64_t size = 1, inner = 1;

  int32_t zeroOf(int64_t element) const {
    return zeros.size() == 1 ? zeros[0] : zeros[static_cast<size_t>(element / inner % size)];
  }
};

// Input `operand` with its zero points, which are input `zeroPoint`: none (0), one, or one for each index along
// `axis`. With `axis` = anyNumber there may be only one.
Result<Eight> eightBit(const OpContext &context, size_t operand, size_t zeroPoint, size_t axis);

// Reads input `index`, which must hold a single scale or `count` scales.
Result<std::vector<float>> scales(const OpContext &context, size_t index, int64_t count);

// The sums of a convolution and of a matrix product of two operands, as int32 with wrap-around.
Result<Tensor> convolveExactly(OpContext &context, const Eight &x, const Eight &w);
Result<Tensor> multiplyExactly(OpContext &context, const Eight &a, const Eight &b);

// The axis along which zero points of a matrix product may vary: the rows of a left operand, the columns of a
// right operand.
inline size_t rowAxis(const Tensor &a) { return a.rank() >= 2 ? a.rank() - 2 : 0; }
inline size_t columnAxis(const Tensor &b) { return b.rank() >= 2 ? b.rank() - 1 : 1; }

} // namespace tilerig::reference
