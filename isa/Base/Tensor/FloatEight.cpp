#include "isa/Base/Tensor/FloatEight.h"

#include <cmath>
#include <fmt/core.h>
#include <limits>

namespace tilerig {

namespace {

constexpr int64_t e4m3fn = 17, e5m2 = 19;

// The value of a float with a sign, an exponent with the given bias and a fraction of `fractionBits`.
float valueOf(int bits, int fractionBits, int bias) {
  const int fraction = bits & ((1 << fractionBits) - 1), exponent = (bits & 0x7F) >> fractionBits;
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), 1 - bias - fractionBits)
                                        : std::ldexp(static_cast<float>(fraction + (1 << fractionBits)),
                                                     exponent - bias - fractionBits);
  return bits & 0x80 ? -magnitude : magnitude;
}

// e4m3fn has no infinities, and one NaN of each sign.
float fromE4m3fn(int bits) {
  return (bits & 0x7F) == 0x7F ? std::numeric_limits<float>::quiet_NaN() : valueOf(bits, 3, 7);
}

// e5m2 has the special values of IEEE 754.
float fromE5m2(int bits) {
  if ((bits & 0x7F) > 0x7C)
    return std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  return (bits & 0x7F) < 0x7C ? valueOf(bits, 2, 15) : bits & 0x80 ? -infinity : infinity;
}

} // namespace

bool isFloatEight(int64_t number) { return number == e4m3fn || number == e5m2; }

Result<Tensor> widenedFloatEight(int64_t number, const Shape &shape, std::span<const std::byte> bytes) {
  TILERIG_TRY(Tensor tensor, Tensor::makeUninitialised(DType::f32, shape));
  if (bytes.size() != tensor.elementCount())
    return invalidInput("", fmt::format("the data have {} bytes, but {} floats of 8 bits need as many",
                                        bytes.size(), tensor.elementCount()));
  auto to = tensor.mutableAs<float>();
  for (size_t i = 0; i < to.size(); ++i) {
    const int bits = std::to_integer<int>(bytes[i]);
    to[i] = number == e4m3fn ? fromE4m3fn(bits) : fromE5m2(bits);
  }
  return tensor;
}

} // namespace tilerig
