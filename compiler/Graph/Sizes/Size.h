// Sizes of axes that are known only when a program runs, as polynomials of numbers that are known only then. For
// example, the indices that NonZero returns have a size n; two lists of n and m regions, one behind the other, have
// the size n + m, and n regions of 91 classes, as one list, have 91 n.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::compiler {

// A product of symbols: their indices, ascending, with repetitions; empty for the number 1.
using Monomial = std::vector<unsigned>;

class Size {
public:
  Size(int64_t constant = 0);
  static Size symbol(unsigned index);

  // The value if it does not depend on symbols.
  std::optional<int64_t> constant() const;
  // The coefficients of the monomials; none is zero.
  const std::map<Monomial, int64_t> &terms() const { return polynomial; }

  Size operator+(const Size &other) const;
  Size operator-(const Size &other) const { return *this + other * Size(-1); }
  Size operator*(const Size &other) const;
  // The quotient if the division has no remainder for any values of the symbols, and the divisor has one term.
  std::optional<Size> dividedBy(const Size &divisor) const;

  bool operator==(const Size &) const = default;
  auto operator<=>(const Size &) const = default;
  // For messages and keys: "3 + 91 s0".
  std::string text() const;

private:
  std::map<Monomial, int64_t> polynomial;
};

// The least and the greatest value that a number can have.
struct Bounds {
  int64_t least, most;
};
// The end of bounds that are not known. Sums and products of bounds saturate there.
constexpr int64_t unbounded = int64_t{1} << 62;

Bounds operator+(Bounds a, Bounds b);
Bounds operator*(Bounds a, Bounds b);

} // namespace tilerig::compiler
