#include "compiler/Graph/Sizes/Size.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

__extension__ using Wide128 = __int128;

int64_t saturated(Wide128 value) {
  return static_cast<int64_t>(std::clamp<Wide128>(value, -unbounded, unbounded));
}

} // namespace

Size::Size(int64_t constant) {
  if (constant != 0)
    polynomial[{}] = constant;
}

Size Size::symbol(unsigned index) {
  Size size;
  size.polynomial[{index}] = 1;
  return size;
}

std::optional<int64_t> Size::constant() const {
  if (polynomial.empty())
    return 0;
  return polynomial.size() == 1 && polynomial.begin()->first.empty()
             ? std::optional(polynomial.begin()->second)
             : std::nullopt;
}

Size Size::operator+(const Size &other) const {
  Size sum = *this;
  for (const auto &[monomial, coefficient] : other.polynomial)
    if ((sum.polynomial[monomial] += coefficient) == 0)
      sum.polynomial.erase(monomial);
  return sum;
}

Size Size::operator*(const Size &other) const {
  Size product;
  for (const auto &[left, a] : polynomial)
    for (const auto &[right, b] : other.polynomial) {
      Monomial both;
      std::ranges::merge(left, right, std::back_inserter(both));
      if ((product.polynomial[both] += a * b) == 0)
        product.polynomial.erase(both);
    }
  return product;
}

std::optional<Size> Size::dividedBy(const Size &divisor) const {
  if (divisor.polynomial.size() != 1)
    return {};
  const auto &[by, factor] = *divisor.polynomial.begin();
  Size quotient;
  for (const auto &[monomial, coefficient] : polynomial) {
    if (coefficient % factor != 0 || !std::ranges::includes(monomial, by))
      return {};
    Monomial rest;
    std::ranges::set_difference(monomial, by, std::back_inserter(rest));
    quotient.polynomial[rest] = coefficient / factor;
  }
  return quotient;
}

std::string Size::text() const {
  std::string all;
  for (const auto &[monomial, coefficient] : polynomial) {
    all += fmt::format("{}{}", all.empty() ? "" : " + ", coefficient);
    for (const unsigned symbol : monomial)
      all += fmt::format(" s{}", symbol);
  }
  return all.empty() ? "0" : all;
}

Bounds operator+(Bounds a, Bounds b) {
  const auto sum = [](int64_t x, int64_t y, int64_t end) {
    return x == end || y == end ? end : saturated(static_cast<Wide128>(x) + y);
  };
  return {sum(a.least, b.least, -unbounded), sum(a.most, b.most, unbounded)};
}

Bounds operator*(Bounds a, Bounds b) {
  const auto product = [](int64_t x, int64_t y) { return saturated(static_cast<Wide128>(x) * y); };
  const auto [least, most] = std::minmax({product(a.least, b.least), product(a.least, b.most),
                                          product(a.most, b.least), product(a.most, b.most)});
  return {least, most};
}

} // namespace tilerig::compiler
