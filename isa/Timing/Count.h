// A number of cycles, bytes or steps whose arithmetic cannot overflow.
//
// Sums and products stop at `most`, which is more than anything real and small enough that a clock may add
// many of them. So a formula stays monotone for every instruction that can be encoded, sensible or not: five
// sizes of 32 bits multiply to 160.
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

// How many parts of that size are begun; the size is not 0.
constexpr Count ceilDiv(Count amount, Count part) {
  return amount.get() / part.get() + (amount.get() % part.get() != 0);
}
constexpr Count roundUp(Count amount, Count part) { return ceilDiv(amount, part) * part; }
constexpr Count roundDown(Count amount, Count part) { return amount.get() / part.get() * part.get(); }

} // namespace tilerig
