// exp and expm1 of doubles, and the hyperbolic functions, which are computed from them.
//
// Argument reduction: x = n ln 2 + r with n an integer and |r| <= ln 2 / 2. e^r - 1 is a polynomial, and e^x
// follows by scaling with 2^n. Arguments are clamped to +-708 so that 2^n stays a normal double; this is far
// beyond the range of fp32 on both sides.
#if defined(TILERIG_NUMERICS_FORMULAS_EXPONENTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_NUMERICS_FORMULAS_EXPONENTIAL_INL_H_
#undef TILERIG_NUMERICS_FORMULAS_EXPONENTIAL_INL_H_
#else
#define TILERIG_NUMERICS_FORMULAS_EXPONENTIAL_INL_H_
#endif

#include "isa/Numerics/Coefficients.h"
#include "isa/Numerics/Formulas/Lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

// Returns 2^n for an integer n from -1022 to 1023.
template <class V>
HWY_INLINE V powerOfTwo(V n) {
  // The low bits of 2^52 + 2^51 + n hold n in two's complement; the shift moves them into the exponent field.
  const auto bits = shiftUp<52>(bitsOf(n + splat<V>(0x1.8p52)));
  return fromBits(bits + splatBits<decltype(bitsOf(n))>(0x3ff0000000000000));
}

// e^x in two parts: e^x = (1 + fraction) * power, where `power` is a power of two.
template <class V>
struct SplitExponential {
  V fraction, power;
};

template <class V>
HWY_INLINE SplitExponential<V> splitExponential(V x) {
  using namespace coefficients;
  const V bounded = atMost(atLeast(x, splat<V>(-708)), splat<V>(708));
  const V n = roundEven(bounded * splat<V>(log2OfE));
  const V r = fma(n, splat<V>(-ln2Low), fma(n, splat<V>(-ln2High), bounded));
  return {fma(r * r, horner(r, expTail), r), powerOfTwo(n)};
}

template <class V>
HWY_INLINE V exponential(V x) {
  const auto [fraction, power] = splitExponential(x);
  return (fraction + splat<V>(1)) * power;
}

template <class V>
HWY_INLINE V exponentialMinus1(V x) {
  const auto [fraction, power] = splitExponential(x);
  return fma(fraction, power, power - splat<V>(1));
}

template <class V>
HWY_INLINE V hyperbolicTangent(V x) {
  const V a = atMost(magnitude(x), splat<V>(20)); // beyond 20, tanh rounds to 1 in fp32
  const V t = exponentialMinus1(a + a);
  return withSign(t / (t + splat<V>(2)), x);
}

template <class V>
HWY_INLINE V hyperbolicSine(V x) {
  const V t = exponentialMinus1(atMost(magnitude(x), splat<V>(100)));
  return withSign(splat<V>(0.5) * (t + t / (t + splat<V>(1))), x);
}

template <class V>
HWY_INLINE V hyperbolicCosine(V x) {
  const V e = exponential(atMost(magnitude(x), splat<V>(100)));
  return splat<V>(0.5) * (e + splat<V>(1) / e);
}

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // TILERIG_NUMERICS_FORMULAS_EXPONENTIAL_INL_H_
