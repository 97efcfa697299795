// Executable form of Numerics/README.md: constants are read from its text and functions computed as its lines
// say, independently of the library, whose results are compared. Fails if page and code disagree.
#include "tests/unit/Numerics/OnEveryTarget.h"

#include "isa/Numerics/Coefficients.h"
#include "isa/Numerics/Functions.h"
#include "tests/support/Folders.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace tilerig {
namespace {

using F = MathFunction;
using Constants = std::map<std::string, std::vector<double>>;

std::string page() {
  std::ifstream file(test::sourceFolder() + "/isa/Numerics/README.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Parses the indented list of constants after the heading: a name, then its numbers, over one or more lines.
Constants readConstants(const std::string &text) {
  Constants constants;
  std::string *current = nullptr, name;
  std::istringstream lines(text.substr(text.find("### Constants")));
  for (std::string line; std::getline(lines, line) && line != "### Errors";) {
    if (!line.starts_with("    "))
      continue;
    std::istringstream words(line);
    for (std::string word; words >> word;)
      if (std::isalpha(static_cast<unsigned char>(word[0])))
        current = &(name = word);
      else if (current)
        constants[*current].push_back(std::strtod(word.c_str(), nullptr));
  }
  return constants;
}

const Constants &constants() {
  static const Constants all = readConstants(page());
  return all;
}
const std::vector<double> &array(const char *name) { return constants().at(name); }
double c(const char *name) { return array(name).at(0); }

// The binary digits of 2/pi after the point, from the hexadecimal digits on the page (Numerics/README.md).
std::vector<int> digitsOfTwoOverPi() {
  const std::string text = page(), before = "2/pi = 0. followed by these hexadecimal digits:";
  std::istringstream rest(text.substr(text.find(before) + before.size()));
  std::string hex;
  rest >> hex;
  std::vector<int> digits;
  for (const char h : hex)
    for (int bit = 3; bit >= 0; --bit)
      digits.push_back((h <= '9' ? h - '0' : h - 'a' + 10) >> bit & 1);
  return digits;
}

struct Parts {
  double t0, t1, t2;
};
// A bit of (2/pi * 2^shift) mod 4: the bit of weight 2^w is digit number shift - w - 1 of 2/pi after the
// point.
Parts partsOf(int shift) {
  static const std::vector<int> digits = digitsOfTwoOverPi();
  const auto bit = [&](int weight) {
    const int place = shift - weight - 1;
    return place < 0 ? 0 : digits.at(static_cast<size_t>(place));
  };
  const auto sum = [&](int from, int to) {
    double total = 0;
    for (int weight = from; weight >= to; --weight)
      total += std::ldexp(bit(weight), weight);
    return total;
  };
  // The number (2/pi * 2^shift) mod 4 is the sum of three parts, t0 + t1 + t2. The last one, t2, is the rest
  // after t0 and t1, rounded to 53 bits. `first` becomes the binary weight of its leading 1.
  int first = -55;
  while (!bit(first))
    --first;
  double rest = sum(first, first - 52);
  bool sticky = bit(first - 52) != 0;
  for (int weight = first - 54; weight > first - 70; --weight)
    sticky |= bit(weight) != 0;
  if (bit(first - 53) && sticky)
    rest += std::ldexp(1, first - 52);
  return {sum(1, -26), sum(-27, -54), rest};
}

// The functions below compute the formulas of Numerics/README.md, line by line.

double atLeast(double x, double b) { return x < b ? b : x; }
double atMost(double x, double b) { return x > b ? b : x; }
double H(double x, const char *name) {
  const auto &coefficients = array(name);
  double r = coefficients.back();
  for (size_t i = coefficients.size() - 1; i-- > 0;)
    r = std::fma(r, x, coefficients[i]);
  return r;
}

struct Exponential {
  double f, p;
};
Exponential split(double x) {
  const double b = atMost(atLeast(x, -708), 708);
  const double n = std::nearbyint(b * c("log2OfE"));
  const double r = std::fma(n, -c("ln2Low"), std::fma(n, -c("ln2High"), b));
  return {std::fma(r * r, H(r, "expTail"), r), n != n ? n : std::ldexp(1, static_cast<int>(n))};
}
double pageExp(double x) {
  const auto [f, p] = split(x);
  return (f + 1) * p;
}
double pageExpm1(double x) {
  const auto [f, p] = split(x);
  return std::fma(f, p, p - 1);
}

double pageLn(double v) {
  if (v != v)
    return v;
  int k;
  double m = std::frexp(v, &k);
  if (m < c("sqrtHalf")) {
    m *= 2;
    --k;
  }
  const double s = (m - 1) / (m + 1), z = s * s;
  const double w = std::fma(s * z, H(z, "logTail"), s + s);
  return std::fma(k, c("ln2High"), std::fma(k, c("ln2Low"), w));
}
double pageLn1p(double u) {
  const double y = 1 + u, t = y - 1, lost = (1 - (y - t)) + (u - t);
  return pageLn(y) + lost / y;
}

struct Angle {
  double S, C;
  int n; // number of the quadrant of the angle, modulo 4
};
Angle angle(double x) {
  const double a = std::fabs(x);
  double r = a, n = 0;
  if (a >= c("quarterPi")) {
    int exponent;
    const double M = std::ldexp(std::frexp(a, &exponent), 24);
    const auto [t0, t1, t2] = partsOf(exponent - 24);
    n = std::nearbyint(M * t0 + M * t1);
    r = std::fma(M, t2, (M * t0 - n) + M * t1) * c("halfPi");
  }
  const double z = r * r;
  return {std::fma(r * z, H(z, "sinTail"), r), std::fma(z * z, H(z, "cosTail"), std::fma(z, -0.5, 1)),
          static_cast<int>(std::fmod(n, 4))};
}
double negatedIf(bool condition, double x) { return condition ? -x : x; }

double pageX(double a) {
  const double t = (a - 4) / (a + 4);
  return H(t, "erfcScaled") / std::fma(2, a, 1);
}

double partOfArcSine(double x) {
  const double a = std::fabs(x), z = a > 0.5 ? (1 - a) * 0.5 : a * a, s = a > 0.5 ? std::sqrt(z) : a;
  return std::fma(s * z, H(z, "asinTail"), s);
}

double pageArcTangent(double x) {
  const double a = std::fabs(x);
  double t = a, base = 0;
  if (a > c("cotPi8")) {
    t = -1 / a;
    base = c("halfPi");
  } else if (a > c("tanPi8")) {
    t = (a - 1) / (a + 1);
    base = c("quarterPi");
  }
  const double z = t * t;
  return std::copysign(base + std::fma(t * z, H(z, "atanTail"), t), x);
}

double inDouble(MathFunction function, double x, double alpha, double beta) {
  const double inf = INFINITY, size = std::fabs(x);
  switch (function) {
  case F::exp:
    return pageExp(x);
  case F::log:
    return x == inf ? inf : x > 0 ? pageLn(x) : x == 0 ? -inf : double(NAN);
  case F::sigmoid:
    return 1 / (1 + pageExp(0 - x));
  case F::tanh: {
    const double a = atMost(size, 20), t = pageExpm1(a + a);
    return std::copysign(t / (t + 2), x);
  }
  case F::sinh: {
    const double t = pageExpm1(atMost(size, 100));
    return std::copysign(0.5 * (t + t / (t + 1)), x);
  }
  case F::cosh: {
    const double e = pageExp(atMost(size, 100));
    return 0.5 * (e + 1 / e);
  }
  case F::softplus:
    return (x > 0 ? x : 0) + pageLn1p(pageExp(0 - size));
  case F::softsign: {
    const double largest = (2 - 0x1p-23) * 0x1p127, b = atMost(atLeast(x, -largest), largest);
    return b / (1 + std::fabs(b));
  }
  case F::silu: {
    const double b = atLeast(x, -708);
    return b / (1 + pageExp(0 - b));
  }
  case F::mish: {
    const double b = atLeast(x, -708), e = pageExp(atMost(b, 40)), n = e * (e + 2);
    return b * (n / (n + 2));
  }
  case F::hardSigmoid:
    return atMost(atLeast(std::fma(alpha, x, beta), 0), 1);
  case F::hardSwish: {
    const double b = atLeast(x, -3);
    return b * atMost(b + 3, 6) / 6;
  }
  case F::elu:
    return x >= 0 ? x : alpha * pageExpm1(x);
  case F::selu:
    return beta * (x > 0 ? x : alpha * pageExpm1(x));
  case F::celu:
    return (x > 0 ? x : 0) + atMost(alpha * pageExpm1(x / alpha), 0);
  case F::geluErf: {
    const double a = atMost(size, 16), q = (0.5 * pageExp(0 - a * a * 0.5)) * pageX(a * c("sqrtHalf"));
    return x > 0 ? x * (1 - q) : atLeast(x, -16) * q;
  }
  case F::geluTanh: {
    const double b = atLeast(x, -20), t = c("twoSqrtTwoOverPi") * std::fma(c("geluCubic") * (b * b), b, b);
    return b / (1 + pageExp(0 - t));
  }
  case F::erf: {
    const double a = atMost(size, 6), z = a * a;
    return std::copysign(a < 1 ? a * H(z, "erfRatio") : 1 - pageExp(0 - z) * pageX(a), x);
  }
  case F::rsqrt:
    return 1 / std::sqrt(x);
  case F::sin: {
    if (std::isinf(x))
      return double(NAN);
    const auto [S, C, n] = angle(x);
    return negatedIf(std::signbit(x), negatedIf(n >= 2, n % 2 ? C : S));
  }
  case F::cos: {
    if (std::isinf(x))
      return double(NAN);
    const auto [S, C, n] = angle(x);
    return negatedIf(n == 1 || n == 2, n % 2 ? S : C);
  }
  case F::tan: {
    if (std::isinf(x))
      return double(NAN);
    const auto [S, C, n] = angle(x);
    return negatedIf(std::signbit(x), n % 2 ? (0 - C) / S : S / C);
  }
  case F::asin: {
    const double P = partOfArcSine(x);
    return std::copysign(size > 0.5 ? c("halfPi") - (P + P) : P, x);
  }
  case F::acos: {
    const double P = partOfArcSine(x);
    if (size > 0.5)
      return x > 0 ? P + P : c("pi") - (P + P);
    return c("halfPi") - std::copysign(P, x);
  }
  case F::atan:
    return pageArcTangent(x);
  case F::asinh: {
    const double s = size * size;
    return std::isinf(x) ? x : std::copysign(pageLn1p(size + s / (1 + std::sqrt(s + 1))), x);
  }
  case F::acosh: {
    const double t = x - 1;
    return x < 1 ? double(NAN) : x == inf ? inf : pageLn1p(t + std::sqrt(t * (x + 1)));
  }
  case F::atanh:
    if (size > 1)
      return double(NAN);
    return std::copysign(size == 1 ? inf : 0.5 * pageLn1p((size + size) / (1 - size)), x);
  default:
    return double(NAN); // all other functions are computed in fp32, not in double
  }
}

float onThePage(MathFunction function, float x, float alpha, float beta) {
  switch (function) {
  case F::identity:
    return x;
  case F::relu:
    return x < 0 ? 0 : x;
  case F::leakyRelu:
    return x < 0 ? alpha * x : x;
  case F::thresholdedRelu:
    return x <= alpha ? 0 : x;
  case F::clip: {
    const float low = x < alpha ? alpha : x;
    return low > beta ? beta : low;
  }
  case F::sqrt:
    return std::sqrt(x);
  case F::reciprocal:
    return 1 / x;
  case F::abs:
    return std::fabs(x);
  case F::neg:
    return -x;
  case F::floor:
    return std::floor(x);
  case F::ceil:
    return std::ceil(x);
  case F::round:
    return std::nearbyint(x);
  case F::sign:
    return x > 0 ? 1 : x < 0 ? -1 : x;
  case F::logicalNot:
    return x == 0;
  case F::isNan:
    return x != x;
  case F::isInf:
    return std::fabs(x) == INFINITY;
  default:
    return static_cast<float>(x != x ? x : inDouble(function, x, alpha, beta));
  }
}

float pagePower(float x, float y) {
  const double a = std::fabs(static_cast<double>(x)), exponent = y;
  if (y == 0 || x == 1)
    return 1;
  const bool integer = std::nearbyint(y) == y;
  if (x != x || y != y || (x < 0 && std::isfinite(x) && std::isfinite(y) && !integer))
    return NAN;
  const double l = a == 0 ? double(-INFINITY) : std::isinf(a) ? a : pageLn(a);
  const double p = exponent * l, e = pageExp(p);
  int scale;
  const double significand = std::frexp(e, &scale);
  const double rounded25 = std::ldexp(std::round(std::ldexp(significand, 25)), scale - 25);
  const double g = std::fabs(e - rounded25) <= e * (std::fabs(p) * 0x1p-50) ? rounded25 : e;
  const double m = a == 1 ? 1 : y == 2 ? a * a : y == 0.5f ? std::sqrt(a) : g;
  const bool odd = std::isfinite(y) && integer && std::fmod(exponent, 2) != 0;
  return static_cast<float>(odd && std::signbit(x) ? -m : m);
}

TEST(Page, ListsTheConstantsOfTheCode) {
  const auto expect = [](const char *name, std::span<const double> code) {
    ASSERT_TRUE(constants().contains(name)) << name;
    EXPECT_EQ(array(name), std::vector<double>(code.begin(), code.end())) << name;
  };
  using namespace coefficients;
  for (const auto &[name, value] : {std::pair<const char *, double>{"log2OfE", log2OfE},
                                    {"ln2High", ln2High},
                                    {"ln2Low", ln2Low},
                                    {"halfPi", halfPi},
                                    {"quarterPi", quarterPi},
                                    {"pi", pi},
                                    {"tanPi8", tanPi8},
                                    {"cotPi8", cotPi8},
                                    {"sqrtHalf", sqrtHalf},
                                    {"twoSqrtTwoOverPi", twoSqrtTwoOverPi},
                                    {"geluCubic", geluCubic}})
    expect(name, std::span(&value, 1));
  expect("expTail", expTail);
  expect("logTail", logTail);
  expect("sinTail", sinTail);
  expect("cosTail", cosTail);
  expect("asinTail", asinTail);
  expect("atanTail", atanTail);
  expect("erfRatio", erfRatio);
  expect("erfcScaled", erfcScaled);
  EXPECT_EQ(constants().size(), 19u) << "a constant that no code uses";
}

TEST(Page, DefinesTheTableOfAngles) {
  for (int exponent = -1; exponent < 128; ++exponent) {
    const auto [t0, t1, t2] = partsOf(exponent - 23);
    const double *row = coefficients::twoOverPiModulo4[exponent + 1];
    EXPECT_EQ(row[0], t0) << exponent;
    EXPECT_EQ(row[1], t1) << exponent;
    EXPECT_EQ(row[2], t2) << exponent;
  }
}

TEST(Page, DefinesEveryFunctionToTheBit) {
  const auto x = floatsAtStride(131071);
  for (size_t i = 0; i < numMathFunctions; ++i)
    for (const auto &[alpha, beta] : {std::pair{0.7f, 2.0f}, {1.0f, 0.5f}}) {
      const auto function = static_cast<MathFunction>(i);
      for (const float value : x) {
        const float expected = onThePage(function, value, alpha, beta),
                    result = evaluate(function, value, alpha, beta);
        const bool identity = function == F::identity;
        ASSERT_EQ(bitsOfFloat(result), expected == expected || identity ? bitsOfFloat(expected) : 0x7fc00000)
            << nameOf(function) << ' ' << std::hexfloat << value;
      }
    }
}

TEST(Page, DefinesPowToTheBit) {
  Random random(21);
  for (int i = 0; i < 40'000; ++i) {
    const float x = floatOfBits(random.bits());
    const float small = static_cast<float>(random.within(-40, 40)) / 4;
    for (const float y : {floatOfBits(random.bits()), small, 2.0f, 0.5f}) {
      const float expected = pagePower(x, y);
      ASSERT_EQ(bitsOfFloat(power(x, y)), expected == expected ? bitsOfFloat(expected) : 0x7fc00000)
          << std::hexfloat << x << " ^ " << y;
    }
  }
}

TEST(Page, NamesEveryFunction) {
  const std::string text = page();
  for (const auto name : mathFunctionNames)
    EXPECT_NE(text.find("`" + std::string(name) + "`"), std::string::npos) << name;
}

} // namespace
} // namespace tilerig
