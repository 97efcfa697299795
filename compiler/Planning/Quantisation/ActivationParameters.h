// Computes scale and zero point of a tensor of 8-bit integers from the tensor's range [low, high]:
//
//   scale = fl((high - low) / 255), at least 2^-126       zeroPoint = lowest + rne(-low / scale)
//
// Here fl rounds to fp32, rne rounds to the nearest integer (ties to even), and `lowest` is the smallest
// integer of the type; quotients are computed in double. Zero is represented exactly. Quantising and
// dequantising a value within the range changes it by at most half a scale, up to float rounding. A tensor of
// zeros gets scale 1. Scales below 2^-126 are avoided, because they would be subnormal and lose precision.
#pragma once

#include "compiler/Planning/Quantisation/ValueRange.h"

#include <cstdint>

namespace tilerig::compiler {

enum class QuantisedType { int8, uint8 };

struct QuantisationParameters {
  float scale = 1;
  int32_t zeroPoint = 0;

  bool operator==(const QuantisationParameters &) const = default;
};

QuantisationParameters asymmetricParameters(ValueRange range, QuantisedType type);
// Scale and zero point for the second operand of a product that is no constant. Such an operand is stored as
// int8 with zero point 0 and integers from -127 to 127.
QuantisationParameters symmetricParameters(ValueRange range);

} // namespace tilerig::compiler
