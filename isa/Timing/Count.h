// A saturating number of cycles, bytes or steps. Sums and products saturate at `most`. This limit exceeds any
// real quantity, and is small enough that a clock can add many of them without overflow. Saturation is needed
// for senseless instructions, which can be encoded: the product of five 32-bit sizes has 160 bits.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

namespace tilerig {

class Count {
public:
  static constexpr uint64_t most = uint64_t{1} << 60;

  constexpr Count(uint64_t value = 0) : value(std::min(value, most)) {}
  constexpr uint64_t get() const { return value; }

  friend constexpr Count operator+(Count a, Count b) { return a.value + b.value; }
  friend constexpr Count operator*(Count a, Count b) {
    uint64_t product = 0;
    return __builtin_mul_overflow(a.value, b.value, &product) ? most : product;
  }
  constexpr Count &operator+=(Count other) { return *this = *this + other; }
  constexpr Count &operator*=(Count other) { return *this = *this * other; }
  constexpr auto operator<=>(const Count &) const = default;

private:
  uint64_t value;
};

// The number of parts of the given size that cover an amount, rounded up; the size is not 0.
constexpr Count ceilDiv(Count amount, Count part) {
  return amount.get() / part.get() + (amount.get() % part.get() != 0);
}
constexpr Count roundUp(Count amount, Count part) { return ceilDiv(amount, part) * part; }
constexpr Count roundDown(Count amount, Count part) { return amount.get() / part.get() * part.get(); }

} // namespace tilerig
