// log and log1p of doubles, and the inverse hyperbolic functions.
//
// Argument reduction: v = 2^k m with m in [sqrt(1/2), sqrt(2)). With s = (m - 1) / (m + 1), log m = 2 atanh s
// is an odd polynomial in s.
#if defined(TILERIG_NUMERICS_FORMULAS_LOGARITHM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_NUMERICS_FORMULAS_LOGARITHM_INL_H_
#undef TILERIG_NUMERICS_FORMULAS_LOGARITHM_INL_H_
#else
#define TILERIG_NUMERICS_FORMULAS_LOGARITHM_INL_H_
#endif

#include "isa/Numerics/Coefficients.h"
#include "isa/Numerics/Formulas/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

// The logarithm of a positive normal double. Every positive float is a normal double when widened.
template <class V>
HWY_INLINE V logarithm(V v) {
  using namespace coefficients;
  using B = decltype(bitsOf(v));
  const B bits = bitsOf(v);
  // The biased exponent of v / sqrt(1/2). It gives k in v = 2^k m, so that m begins at sqrt(1/2) instead of
  // 1.
  const B biased = shiftDown<52>(bits + splatBits<B>(0x3ff0000000000000 - std::bit_cast<uint64_t>(sqrtHalf)));
  const V k = fromBits(biased + splatBits<B>(0x4330000000000000)) - splat<V>(0x1p52 + 1023);
  const V m = fromBits(bits - shiftUp<52>(biased - splatBits<B>(1023)));
  const V s = (m - splat<V>(1)) / (m + splat<V>(1));
  const V z = s * s;
  const V w = fma(s * z, horner(z, logTail), s + s);
  return fma(k, splat<V>(ln2High), fma(k, splat<V>(ln2Low), w));
}

// log(1 + u) for finite u >= 0. The rounding error of 1 + u is representable in a double; it is computed and
// added back.
template <class V>
HWY_INLINE V logarithmOf1Plus(V u) {
  const V one = splat<V>(1);
  const V y = one + u;
  const V back = y - one;
  const V lost = (one - (y - back)) + (u - back);
  return logarithm(y) + lost / y;
}

template <class V>
HWY_INLINE V naturalLogarithm(V x) {
  const V zero = splat<V>(0);
  const V ordinary = select(x < infinity<V>(), logarithm(x), x);
  const V edge = select(equal(x, zero), zero - infinity<V>(), notANumber<V>());
  return select(x > zero, ordinary, edge);
}

template <class V>
HWY_INLINE V inverseHyperbolicSine(V x) {
  const V a = magnitude(x), square = a * a, one = splat<V>(1);
  const V u = a + square / (one + squareRoot(square + one));
  return withSign(select(equal(a, infinity<V>()), a, logarithmOf1Plus(u)), x);
}

template <class V>
HWY_INLINE V inverseHyperbolicCosine(V x) {
  const V one = splat<V>(1), t = x - one;
  const V u = t + squareRoot(t * (x + one));
  const V result = select(equal(x, infinity<V>()), x, logarithmOf1Plus(u));
  return select(x < one, notANumber<V>(), result);
}

template <class V>
HWY_INLINE V inverseHyperbolicTangent(V x) {
  const V a = magnitude(x), one = splat<V>(1);
  const V inside = splat<V>(0.5) * logarithmOf1Plus((a + a) / (one - a));
  const V size = select(equal(a, one), infinity<V>(), inside);
  return select(a > one, notANumber<V>(), withSign(size, x));
}

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // TILERIG_NUMERICS_FORMULAS_LOGARITHM_INL_H_
