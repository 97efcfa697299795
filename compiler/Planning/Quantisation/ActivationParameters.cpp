#include "compiler/Planning/Quantisation/ActivationParameters.h"

#include "compiler/Planning/Quantisation/Scale.h"
#include "isa/Numerics/Rounding.h"

namespace tilerig::compiler {

QuantisationParameters asymmetricParameters(ValueRange range, QuantisedType type) {
  const int32_t lowest = type == QuantisedType::int8 ? -128 : 0;
  const double extent = static_cast<double>(range.high) - range.low;
  if (extent == 0)
    return {1, 0};
  const float scale = scaleOf(extent, 255);
  return {scale, lowest + roundTo<int32_t>(-static_cast<double>(range.low) / scale)};
}

QuantisationParameters symmetricParameters(ValueRange range) {
  const double size = std::max<double>(-range.low, range.high);
  return {size == 0 ? 1 : scaleOf(size, 127), 0};
}

} // namespace tilerig::compiler
