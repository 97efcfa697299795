// Scale and zero point of a tensor of 8-bit integers, from its range.
//
//   scale = fl((high - low) / 255), at least 2^-126       zeroPoint = lowest + rne(-low / scale)
//
// The quotients are computed in double and rounded half to even. Zero is then exact, and a value within the
// range comes back from quantisation with an error of at most half a scale, up to the rounding of floats. A
// tensor that is zero throughout gets the scale 1. Below 2^-126 floats lose precision, and with it the scale
// would.
#pragma once

#include "compiler/Precision/ValueRange.h"

#include <cstdint>

namespace tilerig {

enum class QuantisedType { int8, uint8 };

struct QuantisationParameters {
  float scale = 1;
  int32_t zeroPoint = 0;

  bool operator==(const QuantisationParameters &) const = default;
};

QuantisationParameters asymmetricParameters(ValueRange range, QuantisedType type);
// For a second operand of a product that is no constant: int8, zero point 0, integers -127 ... 127.
QuantisationParameters symmetricParameters(ValueRange range);

} // namespace tilerig
