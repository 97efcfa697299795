// Vector version of Landing.h: converts vectors of reals to vectors of stored integers at the end of a
// kernel.
//
// The bounds are applied before the rounding. They are integers, and every rounding mode preserves integers
// and order, so the result is the same and no intermediate value can overflow.
#if defined(TILERIG_NUMERICS_FORMULAS_LANDING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_NUMERICS_FORMULAS_LANDING_INL_H_
#undef TILERIG_NUMERICS_FORMULAS_LANDING_INL_H_
#else
#define TILERIG_NUMERICS_FORMULAS_LANDING_INL_H_
#endif

#include "isa/Numerics/Formulas/Lanes-inl.h"
#include "isa/Numerics/Landing.h"

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

#if TILERIG_VECTORS

// The integer type of the vector lanes that hold values of a stored type: int16 for i9, otherwise the type
// itself.
template <QuantisedStorage T>
using LaneOf = std::conditional_t<std::is_same_v<T, I9>, int16_t, T>;

// The parameters of the conversion of reals to stored integers (struct Landing), with rounding and narrowing
// as compile-time constants.
template <Rounding rounding, Narrowing narrowing>
struct VectorLanding {
  float low, high; // bounds of the stored integer, relative to the zero point
  int32_t zeroPoint;

  explicit VectorLanding(const Landing &landing)
      : low(static_cast<float>(landing.low - landing.zeroPoint)),
        high(static_cast<float>(landing.high - landing.zeroPoint)), zeroPoint(landing.zeroPoint) {}

  // Converts reals to stored integers. Set mayBeNan to false, which omits the test for NaN, only if no
  // element can be a NaN.
  template <bool mayBeNan = true, Wide V>
  HWY_INLINE auto land(V real) const {
    const hn::DFromV<V> d;
    const hn::RebindToSigned<decltype(d)> dInteger;
    if constexpr (mayBeNan)
      real = hn::IfThenElseZero(equal(real, real), real);
    const V bounded = hn::Min(hn::Max(real, hn::Set(d, low)), hn::Set(d, high));
    return nearby(bounded) + hn::Set(dInteger, zeroPoint);
  }

  template <QuantisedStorage T, Wide I>
  HWY_INLINE auto stored(I q) const {
    const hn::Rebind<LaneOf<T>, hn::DFromV<I>> dStored;
    if constexpr (narrowing == Narrowing::wrap && std::is_same_v<T, int8_t>)
      return hn::DemoteTo(dStored, hn::ShiftRight<24>(hn::ShiftLeft<24>(q)));
    else if constexpr (narrowing == Narrowing::wrap && std::is_same_v<T, uint8_t>)
      return hn::DemoteTo(dStored, hn::And(q, hn::Set(hn::DFromV<I>(), 0xff)));
    else
      return hn::DemoteTo(dStored, q);
  }

private:
  template <Wide V>
  static HWY_INLINE auto nearby(V x) {
    const hn::DFromV<V> d;
    const hn::RebindToSigned<decltype(d)> dInteger;
    if constexpr (rounding == Rounding::halfEven) {
      return hn::NearestInt(x);
    } else if constexpr (rounding == Rounding::halfAway) {
      const V whole = hn::Trunc(x);
      const V step = withSign(hn::Set(d, 1), x);
      const auto away = hn::IfThenElseZero(hn::Abs(x - whole) >= hn::Set(d, 0.5f), step);
      return hn::ConvertTo(dInteger, whole + away);
    } else if constexpr (rounding == Rounding::down) {
      return hn::ConvertTo(dInteger, hn::Floor(x));
    } else {
      return hn::ConvertTo(dInteger, x);
    }
  }
};

// Calls callback(VectorLanding<...>) with the instance for the rounding and narrowing of `landing`, so that
// they are selected outside the loop.
template <class Callback>
HWY_INLINE void withLanding(const Landing &landing, const Callback &callback) {
  const auto narrowed = [&](auto rounding) HWY_ATTR {
    constexpr Rounding r = decltype(rounding)::value;
    if (landing.narrowing == Narrowing::wrap)
      callback(VectorLanding<r, Narrowing::wrap>(landing));
    else
      callback(VectorLanding<r, Narrowing::saturate>(landing));
  };
  switch (landing.rounding) {
  case Rounding::halfEven:
    return narrowed(std::integral_constant<Rounding, Rounding::halfEven>());
  case Rounding::halfAway:
    return narrowed(std::integral_constant<Rounding, Rounding::halfAway>());
  case Rounding::towardZero:
    return narrowed(std::integral_constant<Rounding, Rounding::towardZero>());
  case Rounding::down:
    return narrowed(std::integral_constant<Rounding, Rounding::down>());
  }
}

#endif

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // TILERIG_NUMERICS_FORMULAS_LANDING_INL_H_
