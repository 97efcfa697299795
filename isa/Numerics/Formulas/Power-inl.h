// pow: e^(y log|x|) with the special cases of IEEE 754, and with results exact where they can be.
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

// e^p, where p is as good as a double can be. A result that has 25 significant bits, but for the error that p
// brings, becomes that number. A power of floats that is exact, or exactly half way between two floats, has
// no more bits than that, so such cases round as they must; others move by far less than their distance to
// the next float.
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
  // The two exponents that networks use most are exact but for the last rounding.
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
