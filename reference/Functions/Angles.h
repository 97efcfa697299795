// Sine, cosine and tangent as specified by isa/Numerics/README.md: the angle is reduced to [-pi/4, pi/4] with
// as many digits of 2/pi as an accurate result needs. The functions are computed one element at a time, not
// in vectors, because networks rarely use them. Only kernel files may include this header; see Simd/Vector.h.
#pragma once

#include "reference/Functions/Formulas.h"

namespace tilerig::reference::TILERIG_SIMD {

// Bit i of the binary fraction 2/pi, where i = 1 is the first bit after the point.
inline bool bitOfTwoOverPi(int i) {
  constexpr int digits = sizeof twoOverPi - 1;
  if (i < 1 || i > 4 * digits)
    return false;
  char digit = twoOverPi[(i - 1) / 4];
  int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
  return value >> (3 - (i - 1) % 4) & 1;
}

// The number (2/pi * 2^shift) mod 4 as a sum of three parts: its bits down to the one worth 2^-26, the
// following bits down to 2^-54, and the rest.
struct QuarterTurns {
  double parts[3];
};
inline QuarterTurns quarterTurns(int shift) {
  // Returns the sum of bits [first, last] of 2/pi, where bit i is worth 2^(shift - i).
  auto sum = [&](int first, int last) {
    double result = 0;
    for (int i = first; i <= last; ++i)
      if (bitOfTwoOverPi(i))
        result += __builtin_ldexp(1, shift - i);
    return result;
  };
  // In 2/pi * 2^shift, bit `shift - 1` of 2/pi is worth 2; the bits before it are worth multiples of 4, which
  // vanish modulo 4.
  int begin = shift - 1 > 1 ? shift - 1 : 1;
  QuarterTurns turns{{sum(begin, shift + 26), sum(begin > shift + 27 ? begin : shift + 27, shift + 54), 0}};
  // The third part of the number has infinitely many bits; it is rounded to 53 bits, counted from its first
  // nonzero bit.
  int first = begin > shift + 55 ? begin : shift + 55;
  while (!bitOfTwoOverPi(first))
    ++first;
  double rest = sum(first, first + 52);
  bool half = bitOfTwoOverPi(first + 53), more = bitOfTwoOverPi(first + 52);
  for (int i = first + 54; !more && i < 4 * static_cast<int>(sizeof twoOverPi); ++i)
    more = bitOfTwoOverPi(i);
  turns.parts[2] = half && more ? rest + __builtin_ldexp(1, shift - first - 52) : rest;
  return turns;
}

struct Angle {
  double sine, cosine; // sine and cosine of the reduced angle
  int quarter;         // number of quarter turns that were subtracted from the angle, modulo 4
};

inline Angle angleOf(double x) {
  double a = magnitude(x), r = a;
  int quarter = 0;
  if (!(a < quarterPi)) {
    static const struct Table {
      QuarterTurns rows[129]; // rows[i]: 2/pi, scaled for angles in [2^(i - 1), 2^i)
      Table() {
        for (int i = 0; i < 129; ++i)
          rows[i] = quarterTurns(i - 1 - 23);
      }
    } table;
    int exponent;
    // The angle a is split into an integer significand m and an exponent: a = m * 2^(exponent - 1 - 23).
    double m = __builtin_ldexp(__builtin_frexp(a, &exponent), 24);
    const double *turns = table.rows[exponent].parts;
    double n = __builtin_rint(m * turns[0] + m * turns[1]);
    r = fma(m, turns[2], (m * turns[0] - n) + m * turns[1]) * halfPi;
    quarter = static_cast<int>(static_cast<int64_t>(n) & 3);
  }
  double z = r * r;
  return {fma(r * z, horner(z, sinTail), r), fma(z * z, horner(z, cosTail), fma(z, -0.5, 1)), quarter};
}

inline double negatedIf(bool condition, double x) { return condition ? -x : x; }

inline double sine(double x) {
  if (!(magnitude(x) < infinity))
    return notANumber;
  Angle angle = angleOf(x);
  double result = angle.quarter & 1 ? angle.cosine : angle.sine;
  return negatedIf(__builtin_signbit(x), negatedIf(angle.quarter >= 2, result));
}
inline double cosine(double x) {
  if (!(magnitude(x) < infinity))
    return notANumber;
  Angle angle = angleOf(x);
  double result = angle.quarter & 1 ? angle.sine : angle.cosine;
  return negatedIf(angle.quarter == 1 || angle.quarter == 2, result);
}
inline double tangent(double x) {
  if (!(magnitude(x) < infinity))
    return notANumber;
  Angle angle = angleOf(x);
  double result = angle.quarter & 1 ? (0 - angle.cosine) / angle.sine : angle.sine / angle.cosine;
  return negatedIf(__builtin_signbit(x), result);
}

} // namespace tilerig::reference::TILERIG_SIMD
