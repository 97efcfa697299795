// Maximum and minimum that propagate NaN and order the zeros, so that neither the order nor the grouping of a
// reduction can show: the greatest of a row may be sought by any number of lanes.
#if defined(TILERIG_NUMERICS_FORMULAS_EXTREMES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_NUMERICS_FORMULAS_EXTREMES_INL_H_
#undef TILERIG_NUMERICS_FORMULAS_EXTREMES_INL_H_
#else
#define TILERIG_NUMERICS_FORMULAS_EXTREMES_INL_H_
#endif

#include "isa/Numerics/Formulas/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

// Where a and b are equal they differ at most in the sign of zero: the greater has the sign of both, the
// lesser of either.
template <class V>
HWY_INLINE V greaterOf(V a, V b) {
  const V ofEqual = fromBits(bitsOf(a) & bitsOf(b));
  const V ofNumbers = select(a > b, a, select(a < b, b, ofEqual));
  return select(either(isNan(a), isNan(b)), notANumber<V>(), ofNumbers);
}

template <class V>
HWY_INLINE V lesserOf(V a, V b) {
  const V ofEqual = fromBits(bitsOf(a) | bitsOf(b));
  const V ofNumbers = select(a < b, a, select(a > b, b, ofEqual));
  return select(either(isNan(a), isNan(b)), notANumber<V>(), ofNumbers);
}

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // TILERIG_NUMERICS_FORMULAS_EXTREMES_INL_H_
