// The elementary functions of isa/Numerics/README.md in double. Where a result depends on a condition, all
// alternatives are computed and one is selected; nothing is converted to an integer. The compiler can
// therefore vectorise loops over these functions. Only kernel files may include this header; see
// Simd/Vector.h.
#pragma once

#include "reference/Functions/Constants.h"

#include <cstdint>

namespace tilerig::reference::TILERIG_SIMD {

inline constexpr double infinity = __builtin_inf();
inline constexpr double notANumber = __builtin_nan("");

inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline double atLeast(double x, double bound) { return x < bound ? bound : x; }
inline double atMost(double x, double bound) { return x > bound ? bound : x; }
inline double magnitude(double x) { return __builtin_fabs(x); }
inline double withSign(double size, double x) { return __builtin_copysign(size, x); }

template <int count>
inline double horner(double x, const double (&coefficients)[count]) {
  double result = coefficients[count - 1];
#pragma GCC unroll 32
  for (int i = count - 2; i >= 0; --i)
    result = fma(result, x, coefficients[i]);
  return result;
}

// 2^n for an integer n. Adding a number near 2^52 leaves n + 1023 in the lowest bits, which are then shifted
// into the exponent field.
inline double powerOfTwo(double n) {
  uint64_t bits = __builtin_bit_cast(uint64_t, n + (0x1.8p52 + 1023));
  return __builtin_bit_cast(double, bits << 52);
}

struct Exponential {
  double fraction, power; // two factors of the exponential: e^x = (fraction + 1) * power
};
inline Exponential exponentialParts(double x) {
  double b = atMost(atLeast(x, -708), 708);
  double n = __builtin_rint(b * log2OfE);
  double r = fma(n, -ln2Low, fma(n, -ln2High, b));
  return {fma(r * r, horner(r, expTail), r), powerOfTwo(n)};
}
inline double exponential(double x) {
  Exponential parts = exponentialParts(x);
  return (parts.fraction + 1) * parts.power;
}
inline double exponentialMinusOne(double x) {
  Exponential parts = exponentialParts(x);
  return fma(parts.fraction, parts.power, parts.power - 1);
}

// ln(v) for finite, normal v > 0.
inline double logarithm(double v) {
  constexpr uint64_t fractionBits = (uint64_t{1} << 52) - 1, exponentOfOne = uint64_t{1023} << 52;
  uint64_t bits = __builtin_bit_cast(uint64_t, v);
  double m = __builtin_bit_cast(double, (bits & fractionBits) | exponentOfOne);
  // The exponent of v as a double: its bits become the lowest bits of a number near 2^52, from which 2^52 and
  // the bias of 1023 are subtracted.
  double k =
      __builtin_bit_cast(double, (bits >> 52) | __builtin_bit_cast(uint64_t, 0x1p52)) - (0x1p52 + 1023);
  bool above = m >= 2 * sqrtHalf;
  m = above ? m * 0.5 : m;
  k = above ? k + 1 : k;
  double s = (m - 1) / (m + 1);
  double z = s * s;
  double w = fma(s * z, horner(z, logTail), s + s);
  return fma(k, ln2High, fma(k, ln2Low, w));
}
// ln(1 + u) for u >= 0.
inline double logarithmOfOneMore(double u) {
  double y = 1 + u, t = y - 1;
  double c = (1 - (y - t)) + (u - t);
  return logarithm(y) + c / y;
}

// The complementary error function times exp(a^2), for 0 <= a <= 16 / sqrt(2).
inline double scaledErfc(double a) {
  double t = (a - 4) / (a + 4);
  return horner(t, erfcScaled) / fma(2, a, 1);
}

inline double arcSinePart(double a) {
  bool large = a > 0.5;
  double z = large ? (1 - a) * 0.5 : a * a;
  double root = __builtin_sqrt(z);
  double s = large ? root : a;
  return fma(s * z, horner(z, asinTail), s);
}
inline double arcSine(double x) {
  double a = magnitude(x), p = arcSinePart(a);
  return withSign(a > 0.5 ? halfPi - (p + p) : p, x);
}
inline double arcCosine(double x) {
  double a = magnitude(x), p = arcSinePart(a);
  double outer = x > 0 ? p + p : pi - (p + p);
  return a > 0.5 ? outer : halfPi - withSign(p, x);
}
inline double arcTangent(double x) {
  double a = magnitude(x);
  bool steep = a > cotPi8, middling = a > tanPi8;
  double t = steep ? -1 / a : middling ? (a - 1) / (a + 1) : a;
  double base = steep ? halfPi : middling ? quarterPi : 0;
  double z = t * t;
  return withSign(base + fma(t * z, horner(z, atanTail), t), x);
}

inline double hyperbolicTangent(double x) {
  double a = atMost(magnitude(x), 20), t = exponentialMinusOne(a + a);
  return withSign(t / (t + 2), x);
}
inline double hyperbolicSine(double x) {
  double a = atMost(magnitude(x), 100), t = exponentialMinusOne(a);
  return withSign(0.5 * (t + t / (t + 1)), x);
}
inline double hyperbolicCosine(double x) {
  double e = exponential(atMost(magnitude(x), 100));
  return 0.5 * (e + 1 / e);
}
inline double areaSine(double x) {
  double a = magnitude(x), s = a * a;
  double result = withSign(logarithmOfOneMore(a + s / (1 + __builtin_sqrt(s + 1))), x);
  return a == infinity ? x : result;
}
inline double areaCosine(double x) {
  double t = x - 1;
  double result = logarithmOfOneMore(t + __builtin_sqrt(t * (x + 1)));
  return x < 1 ? notANumber : x == infinity ? infinity : result;
}
inline double areaTangent(double x) {
  double a = magnitude(x);
  double result = withSign(0.5 * logarithmOfOneMore((a + a) / (1 - a)), x);
  return a > 1 ? notANumber : a == 1 ? withSign(infinity, x) : result;
}

inline double naturalLogarithm(double x) {
  double result = logarithm(x);
  result = x == infinity ? infinity : result;
  result = x == 0 ? -infinity : result;
  return x < 0 ? notANumber : result;
}
inline double softplus(double x) {
  return (x > 0 ? x : 0) + logarithmOfOneMore(exponential(0 - magnitude(x)));
}
inline double softsign(double x) {
  constexpr double greatest = 0x1.fffffep127;
  double b = atMost(atLeast(x, -greatest), greatest);
  return b / (1 + magnitude(b));
}
inline double silu(double x) {
  double b = atLeast(x, -708);
  return b / (1 + exponential(0 - b));
}
inline double mish(double x) {
  double b = atLeast(x, -708), e = exponential(atMost(b, 40)), n = e * (e + 2);
  return b * (n / (n + 2));
}
inline double hardSwish(double x) {
  double b = atLeast(x, -3);
  return b * atMost(b + 3, 6) / 6;
}
inline double geluErf(double x) {
  double a = atMost(magnitude(x), 16);
  double q = (0.5 * exponential(0 - a * a * 0.5)) * scaledErfc(a * sqrtHalf);
  return x > 0 ? x * (1 - q) : atLeast(x, -16) * q;
}
inline double geluTanh(double x) {
  double b = atLeast(x, -20);
  double t = twoSqrtTwoOverPi * fma(geluCubic * (b * b), b, b);
  return b / (1 + exponential(0 - t));
}
inline double errorFunction(double x) {
  double a = atMost(magnitude(x), 6), z = a * a;
  double inner = a * horner(z, erfRatio), outer = 1 - exponential(0 - z) * scaledErfc(a);
  return withSign(a < 1 ? inner : outer, x);
}

// pow(x, y) in double; both arguments are widened floats.
inline double power(double x, double y) {
  double a = magnitude(x);
  double l = logarithm(a);
  l = a == 0 ? -infinity : l;
  l = a == infinity ? infinity : l;
  double p = y * l, e = exponential(p);
  // Rounds to 25 significant bits, ties away from zero, by adding half the worth of the 25th bit to the bit
  // pattern and clearing the bits behind it.
  constexpr int cut = 53 - 25;
  uint64_t bits = __builtin_bit_cast(uint64_t, e) + (uint64_t{1} << (cut - 1));
  double c = __builtin_bit_cast(double, bits & ~((uint64_t{1} << cut) - 1));
  double g = magnitude(e - c) <= e * (magnitude(p) * 0x1p-50) ? c : e;
  double m = y == 0.5 ? __builtin_sqrt(a) : g;
  m = y == 2 ? a * a : m;
  m = a == 1 ? 1 : m;
  bool finite = magnitude(y) < infinity;
  bool integer = __builtin_rint(y) == y;
  bool odd = finite && integer && __builtin_rint(y * 0.5) != y * 0.5;
  double result = odd && __builtin_signbit(x) ? -m : m;
  bool undefined = x != x || y != y || (x < 0 && a < infinity && finite && !integer);
  result = undefined ? notANumber : result;
  return y == 0 || x == 1 ? 1 : result;
}

} // namespace tilerig::reference::TILERIG_SIMD
