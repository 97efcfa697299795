// pow as e^(y log|x|), with the special cases of IEEE 754; results that are exact in fp32, and ties, round
// correctly.
#if defined(TILERIG_NUMERICS_FORMULAS_POWER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_NUMERICS_FORMULAS_POWER_INL_H_
#undef TILERIG_NUMERICS_FORMULAS_POWER_INL_H_
#else
#define TILERIG_NUMERICS_FORMULAS_POWER_INL_H_
#endif

#include "isa/Numerics/Formulas/Exponential-inl.h"
#include "isa/Numerics/Formulas/Lanes-inl.h"
#include "isa/Numerics/Formulas/Logarithm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

// e^p, corrected so that exact powers and ties round correctly. If e^p differs from a number of 25
// significant bits by no more than the error that comes from p, that number is returned. A power of floats
// that is exact, or exactly half way between two floats, has at most 25 bits, so the correction finds it. In
// all other cases the correction is far smaller than the distance to the next rounding boundary.
template <class V>
HWY_INLINE V powerOfE(V p) {
  const V e = exponential(p);
  using B = decltype(bitsOf(e));
  const V short25 =
      fromBits((bitsOf(e) + splatBits<B>(uint64_t(1) << 27)) & splatBits<B>(~uint64_t(0) << 28));
  return select(magnitude(e - short25) <= e * (magnitude(p) * splat<V>(0x1p-50)), short25, e);
}

template <class V>
HWY_INLINE V power(V x, V y) {
  const V zero = splat<V>(0), one = splat<V>(1), a = magnitude(x), size = magnitude(y);
  const V logFinite = select(a < infinity<V>(), logarithm(a), a);
  const V log = select(equal(a, zero), zero - infinity<V>(), logFinite);
  // The exponents 0.5 and 2, which are the most common in networks, are computed by a square root and a
  // product: exact up to the final rounding.
  const V general = select(equal(y, splat<V>(0.5)), squareRoot(a), powerOfE(y * log));
  const V ofMagnitude = select(equal(y, splat<V>(2)), a * a, general);
  const V positive = select(both(equal(a, one), opposite(isNan(y))), one, ofMagnitude);

  const auto integer = equal(roundEven(y), y);
  const V half = y * splat<V>(0.5);
  const auto odd = both(integer, opposite(equal(roundEven(half), half)));
  const V result = select(both(odd, hasSignBit(x)), negated(positive), positive);
  const auto undefined = both(both(x < zero, a < infinity<V>()), opposite(integer));
  const V defined = select(undefined, notANumber<V>(), result);
  const auto always1 = either(equal(size, zero), equal(x, one));
  return select(always1, one, select(either(isNan(x), isNan(y)), notANumber<V>(), defined));
}

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // TILERIG_NUMERICS_FORMULAS_POWER_INL_H_
