// Maximum and minimum that propagate NaN and order the zeros (-0 < +0). The result of a reduction then does
// not depend on the order or grouping of the elements, so a row may be reduced with any number of lanes.
#if defined(TILERIG_NUMERICS_FORMULAS_EXTREMES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_NUMERICS_FORMULAS_EXTREMES_INL_H_
#undef TILERIG_NUMERICS_FORMULAS_EXTREMES_INL_H_
#else
#define TILERIG_NUMERICS_FORMULAS_EXTREMES_INL_H_
#endif

#include "isa/Numerics/Formulas/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

// If a and b are equal, they can still differ in the sign of zero. The AND of their bits is then the greater
// one, and the OR (in lesserOf) the lesser one.
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
