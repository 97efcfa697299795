// asin, acos and atan of doubles: each argument is folded into the range of one odd polynomial.
#if defined(TILERIG_NUMERICS_FORMULAS_INVERSETRIGONOMETRIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_NUMERICS_FORMULAS_INVERSETRIGONOMETRIC_INL_H_
#undef TILERIG_NUMERICS_FORMULAS_INVERSETRIGONOMETRIC_INL_H_
#else
#define TILERIG_NUMERICS_FORMULAS_INVERSETRIGONOMETRIC_INL_H_
#endif

#include "isa/Numerics/Coefficients.h"
#include "isa/Numerics/Formulas/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

// The asin of a in [0, 1] in parts: if a > 1/2 (`folded`), asin a = pi/2 - 2 `part` with `part` =
// asin(sqrt((1 - a) / 2)); otherwise asin a = `part`.
template <class V>
struct FoldedArcSine {
  decltype(V() < V()) folded;
  V part;
};

template <class V>
HWY_INLINE FoldedArcSine<V> foldedArcSine(V a) {
  const V half = splat<V>(0.5);
  const auto folded = a > half;
  const V z = select(folded, (splat<V>(1) - a) * half, a * a);
  const V s = select(folded, squareRoot(z), a);
  return {folded, fma(s * z, horner(z, coefficients::asinTail), s)};
}

template <class V>
HWY_INLINE V arcSine(V x) {
  const auto [folded, part] = foldedArcSine(magnitude(x));
  return withSign(select(folded, splat<V>(coefficients::halfPi) - (part + part), part), x);
}

template <class V>
HWY_INLINE V arcCosine(V x) {
  using namespace coefficients;
  const auto [folded, part] = foldedArcSine(magnitude(x));
  const V twice = part + part;
  const V near1 = select(x > splat<V>(0), twice, splat<V>(pi) - twice);
  return select(folded, near1, splat<V>(halfPi) - withSign(part, x));
}

// Argument reduction: for a <= tan(pi/8), atan(a) is computed directly; for larger a as pi/4 + atan((a - 1) /
// (a + 1)); for a > cot(pi/8) as pi/2 - atan(1 / a).
template <class V>
HWY_INLINE V arcTangent(V x) {
  using namespace coefficients;
  const V a = magnitude(x), one = splat<V>(1), zero = splat<V>(0);
  const auto middle = a > splat<V>(tanPi8), far = a > splat<V>(cotPi8);
  const V over = select(far, splat<V>(-1), select(middle, a - one, a));
  const V under = select(far, a, select(middle, a + one, one));
  const V base = select(far, splat<V>(halfPi), select(middle, splat<V>(quarterPi), zero));
  const V t = over / under, z = t * t;
  return withSign(base + fma(t * z, horner(z, atanTail), t), x);
}

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // TILERIG_NUMERICS_FORMULAS_INVERSETRIGONOMETRIC_INL_H_
