// Sizes that are known only at run time: arithmetic and bounds, compared with values of the symbols.
#include "compiler/Graph/Sizes/Size.h"

#include <gtest/gtest.h>
#include <random>

namespace tilerig::compiler {
namespace {

// The value of a size for these values of the symbols.
int64_t valueOf(const Size &size, const std::vector<int64_t> &symbols) {
  int64_t sum = 0;
  for (const auto &[monomial, coefficient] : size.terms()) {
    int64_t product = coefficient;
    for (const unsigned index : monomial)
      product *= symbols[index];
    sum += product;
  }
  return sum;
}

class RandomSizes {
public:
  explicit RandomSizes(unsigned seed) : random(seed) {}

  int64_t number(int64_t least, int64_t most) { return std::uniform_int_distribution(least, most)(random); }
  Size size(unsigned depth) {
    if (depth == 0)
      return number(0, 1) == 0 ? Size(number(-4, 4)) : Size::symbol(static_cast<unsigned>(number(0, 2)));
    const Size a = size(depth - 1), b = size(depth - 1);
    const int64_t which = number(0, 2);
    return which == 0 ? a + b : which == 1 ? a - b : a * b;
  }

private:
  std::mt19937 random;
};

TEST(Size, computesAsIntegersDo) {
  RandomSizes random(1);
  for (int i = 0; i < 1000; ++i) {
    const Size a = random.size(2), b = random.size(2);
    const std::vector<int64_t> values = {random.number(0, 9), random.number(0, 9), random.number(0, 9)};
    EXPECT_EQ(valueOf(a + b, values), valueOf(a, values) + valueOf(b, values));
    EXPECT_EQ(valueOf(a - b, values), valueOf(a, values) - valueOf(b, values));
    EXPECT_EQ(valueOf(a * b, values), valueOf(a, values) * valueOf(b, values));
    EXPECT_EQ(a - b == Size(0), a == b);
  }
}

TEST(Size, dividesWithoutRemainderOnly) {
  const Size n = Size::symbol(0), m = Size::symbol(1);
  EXPECT_EQ((n * Size(6) * m).dividedBy(n * Size(2)), std::optional(m * Size(3)));
  EXPECT_EQ((n * Size(6) + Size(4)).dividedBy(Size(2)), std::optional(n * Size(3) + Size(2)));
  EXPECT_EQ((n * Size(6) + Size(3)).dividedBy(Size(2)), std::nullopt);
  EXPECT_EQ(m.dividedBy(n), std::nullopt);
  EXPECT_EQ(n.dividedBy(n + m), std::nullopt);
  EXPECT_EQ(n.dividedBy(Size(0)), std::nullopt);
}

TEST(Size, knowsConstants) {
  const Size n = Size::symbol(0);
  EXPECT_EQ((n - n + Size(7)).constant(), std::optional<int64_t>(7));
  EXPECT_EQ(Size(0).constant(), std::optional<int64_t>(0));
  EXPECT_EQ(n.constant(), std::nullopt);
  EXPECT_EQ((Size(91) * n + Size(3)).text(), "3 + 91 s0");
}

TEST(Bounds, containEveryValue) {
  RandomSizes random(2);
  for (int i = 0; i < 1000; ++i) {
    const int64_t a = random.number(-5, 5), b = random.number(a, 9), c = random.number(-5, 5),
                  d = random.number(c, 9);
    const Bounds sum = Bounds{a, b} + Bounds{c, d}, product = Bounds{a, b} * Bounds{c, d};
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int64_t x = a; x <= b; ++x)
      for (int64_t y = c; y <= d; ++y) {
        least = std::min(least, x * y);
        most = std::max(most, x * y);
      }
    EXPECT_EQ(product.least, least);
    EXPECT_EQ(product.most, most);
    EXPECT_EQ(sum.least, a + c);
    EXPECT_EQ(sum.most, b + d);
  }
}

TEST(Bounds, saturate) {
  const Bounds open = {0, unbounded};
  EXPECT_EQ((open + open).most, unbounded);
  EXPECT_EQ((open * open).most, unbounded);
  EXPECT_EQ((open * Bounds{0, 0}).most, 0);
  EXPECT_EQ((open * Bounds{-1, -1}).least, -unbounded);
}

} // namespace
} // namespace tilerig::compiler
