// sin, cos and tan of any float.
//
// The argument is reduced exactly. A float is an integer M of 24 bits times 2^(E - 23). A table holds (2/pi *
// 2^(E - 23)) modulo 4 for each E in three parts, and the products of M with the first two parts are exact in
// a double. The quarter turn and the fraction of a quarter turn are therefore correct to the last bit of a
// double, up to the largest float. This is the method of Payne and Hanek ("Radian reduction for trigonometric
// functions", 1983), restricted to fp32.
#if defined(TILERIG_NUMERICS_FORMULAS_TRIGONOMETRIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_NUMERICS_FORMULAS_TRIGONOMETRIC_INL_H_
#undef TILERIG_NUMERICS_FORMULAS_TRIGONOMETRIC_INL_H_
#else
#define TILERIG_NUMERICS_FORMULAS_TRIGONOMETRIC_INL_H_
#endif

#include "isa/Numerics/Coefficients.h"
#include "isa/Numerics/Formulas/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

// A reduced angle x = (quarter + fraction) * pi/2 modulo 2 pi. `r` is fraction * pi/2; the low bits of
// `quarter` count the quarter turns.
template <class V>
struct QuarterTurn {
  V r;
  decltype(bitsOf(V())) quarter;
};

// Reduces the angle a >= 0, a float widened to double. The result is meaningless for infinity and NaN.
template <class V>
HWY_INLINE QuarterTurn<V> reduceAngle(V a) {
  using namespace coefficients;
  using B = decltype(bitsOf(a));
  const V half = splat<V>(0.5);
  const V inTable = select(a >= half, atMost(a, splat<V>(0x1.fffffep127)), half);
  const B row = shiftDown<52>(bitsOf(inTable)) - splatBits<B>(1022);
  const B first = row + row + row;
  const V integer =
      fromBits((bitsOf(inTable) & splatBits<B>(0x000fffffffffffff)) | splatBits<B>(0x4160000000000000));
  const double *table = &twoOverPiModulo4[0][0];
  const V high = integer * lookUp(table, first);
  const V middle = integer * lookUp(table + 1, first);
  const V n = roundEven(high + middle);
  const V fraction = fma(integer, lookUp(table + 2, first), (high - n) + middle);
  const auto small = a < splat<V>(quarterPi);
  const V quarter = select(small, splat<V>(0), n);
  return {select(small, a, fraction * splat<V>(halfPi)), bitsOf(quarter + splat<V>(0x1.8p52))};
}

// The sine of the angle r, where |r| <= pi/4.
template <class V>
HWY_INLINE V sineOfFraction(V r) {
  const V z = r * r;
  return fma(r * z, horner(z, coefficients::sinTail), r);
}

template <class V>
HWY_INLINE V cosineOfFraction(V r) {
  const V z = r * r;
  return fma(z * z, horner(z, coefficients::cosTail), fma(z, splat<V>(-0.5), splat<V>(1)));
}

template <class M, class V>
HWY_INLINE V negatedWhere(M condition, V x) {
  return select(condition, negated(x), x);
}

template <class V>
HWY_INLINE V sine(V x) {
  const V a = magnitude(x);
  const auto [r, quarter] = reduceAngle(a);
  using B = decltype(bitsOf(x));
  const V size = select(anyBit(quarter, splatBits<B>(1)), cosineOfFraction(r), sineOfFraction(r));
  const V result = negatedWhere(hasSignBit(x), negatedWhere(anyBit(quarter, splatBits<B>(2)), size));
  return select(a < infinity<V>(), result, notANumber<V>());
}

template <class V>
HWY_INLINE V cosine(V x) {
  const V a = magnitude(x);
  const auto [r, quarter] = reduceAngle(a);
  using B = decltype(bitsOf(x));
  const V size = select(anyBit(quarter, splatBits<B>(1)), sineOfFraction(r), cosineOfFraction(r));
  const V result = negatedWhere(anyBit(quarter + splatBits<B>(1), splatBits<B>(2)), size);
  return select(a < infinity<V>(), result, notANumber<V>());
}

template <class V>
HWY_INLINE V tangent(V x) {
  const V a = magnitude(x);
  const auto [r, quarter] = reduceAngle(a);
  const V s = sineOfFraction(r), c = cosineOfFraction(r);
  const auto odd = anyBit(quarter, splatBits<decltype(bitsOf(x))>(1));
  const V size = select(odd, splat<V>(0) - c, s) / select(odd, s, c);
  return select(a < infinity<V>(), negatedWhere(hasSignBit(x), size), notANumber<V>());
}

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // TILERIG_NUMERICS_FORMULAS_TRIGONOMETRIC_INL_H_
