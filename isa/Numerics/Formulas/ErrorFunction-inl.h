// The error function erf, and the scaled complementary error function that GELU needs.
//
// erfc a = exp(-a^2) X(t) / (1 + 2 a), where X is a polynomial in t = (a - 4) / (a + 4). The substitution
// maps the half line to a short interval on which the function is smooth; it is due to W. J. Cody and J. L.
// Schonfelder ("Chebyshev expansions for the error and related functions", 1978). Near 0 erf itself is an odd
// polynomial.
#if defined(TILERIG_NUMERICS_FORMULAS_ERRORFUNCTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_NUMERICS_FORMULAS_ERRORFUNCTION_INL_H_
#undef TILERIG_NUMERICS_FORMULAS_ERRORFUNCTION_INL_H_
#else
#define TILERIG_NUMERICS_FORMULAS_ERRORFUNCTION_INL_H_
#endif

#include "isa/Numerics/Coefficients.h"
#include "isa/Numerics/Formulas/Exponential-inl.h"
#include "isa/Numerics/Formulas/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

// The scaled complementary error function erfc(a) exp(a^2), for a in [0, 16 / sqrt 2].
template <class V>
HWY_INLINE V scaledComplement(V a) {
  const V four = splat<V>(4);
  const V t = (a - four) / (a + four);
  return horner(t, coefficients::erfcScaled) / fma(splat<V>(2), a, splat<V>(1));
}

template <class V>
HWY_INLINE V errorFunction(V x) {
  // Beyond 6, erf rounds to 1 in fp32, so larger arguments are clamped to 6.
  const V a = atMost(magnitude(x), splat<V>(6)), one = splat<V>(1);
  const V z = a * a;
  const V near0 = a * horner(z, coefficients::erfRatio);
  const V beyond = one - exponential(splat<V>(0) - z) * scaledComplement(a);
  return withSign(select(a < one, near0, beyond), x);
}

// x Phi(x), where Phi is the normal distribution function: Phi(-a) = exp(-a^2 / 2) erfc(a / sqrt 2) exp(a^2 /
// 2) / 2 and Phi(a) = 1 - Phi(-a).
template <class V>
HWY_INLINE V geluOfErf(V x) {
  const V zero = splat<V>(0), half = splat<V>(0.5);
  // From a = 16 on, x Phi(-a), with the normal distribution function Phi, rounds to 0 in fp32.
  const V a = atMost(magnitude(x), splat<V>(16));
  const V density = exponential(splat<V>(0) - (a * a) * half);
  const V tail = (half * density) * scaledComplement(a * splat<V>(coefficients::sqrtHalf));
  return select(x > zero, x * (splat<V>(1) - tail), atLeast(x, splat<V>(-16)) * tail);
}

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // TILERIG_NUMERICS_FORMULAS_ERRORFUNCTION_INL_H_
