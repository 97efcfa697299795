// Conversion of a float to an integer type: the fraction is dropped, a value outside the range of the type
// becomes its nearest bound, and NaN becomes 0.
#pragma once

#include <cmath>
#include <limits>

namespace tilerig::reference {

template <class To, class From>
To truncated(From value) {
  // The smallest value above the range of the type: a power of two, exact in every float type.
  const From above = std::ldexp(From(1), std::numeric_limits<To>::digits);
  if (std::isnan(value))
    return 0;
  if (value >= above)
    return std::numeric_limits<To>::max();
  if (value <= static_cast<From>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  return static_cast<To>(value);
}

} // namespace tilerig::reference
