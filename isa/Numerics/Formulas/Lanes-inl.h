// The operations from which all formulas are built, defined once for scalars and once for vectors of any
// length.
//
// A formula is a template over V, which is double, float, or a Highway vector of either. It uses only the
// functions of this file (and + - * /). Each operation rounds as IEEE 754 says, to nearest even, so the
// scalar version and every vector version give the same bits. Nothing may be reassociated or contracted,
// which is why the whole project is compiled with -ffp-contract=off. Like Highway's own headers, this file is
// included once for each target; code that inlines a formula into its loop includes it in the same way.
#if defined(TILERIG_NUMERICS_FORMULAS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_NUMERICS_FORMULAS_LANES_INL_H_
#undef TILERIG_NUMERICS_FORMULAS_LANES_INL_H_
#else
#define TILERIG_NUMERICS_FORMULAS_LANES_INL_H_
#endif

#include "isa/Numerics/Targets.h"

#include <hwy/highway.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// 1 if this target has vectors with fused multiply-add; otherwise only the scalar versions exist.
#undef TILERIG_VECTORS
#if HWY_TARGET != HWY_SCALAR && HWY_NATIVE_FMA
#define TILERIG_VECTORS 1
#else
#define TILERIG_VECTORS 0
#endif

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class V>
concept Scalar = std::is_floating_point_v<V>;
template <class V>
concept Wide = !std::is_arithmetic_v<V>;

// --- scalars ---

template <Scalar V>
HWY_INLINE V splat(double value) {
  return static_cast<V>(value);
}
HWY_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
HWY_INLINE double squareRoot(double x) { return __builtin_sqrt(x); }
HWY_INLINE float squareRoot(float x) { return __builtin_sqrtf(x); }
template <Scalar V>
HWY_INLINE V magnitude(V x) {
  return std::fabs(x);
}
// Returns a magnitude (`size`, not negative) with the sign of another number.
template <Scalar V>
HWY_INLINE V withSign(V size, V sign) {
  return std::copysign(size, sign);
}
template <Scalar V>
HWY_INLINE V roundDown(V x) {
  return std::floor(x);
}
template <Scalar V>
HWY_INLINE V roundUp(V x) {
  return std::ceil(x);
}
// Rounds to the nearest integer, ties to even, and keeps the sign of zero. Adding and subtracting 2^(digits -
// 1), where digits is the number of bits of the significand, rounds, because a sum of that size has no bits
// left for a fraction.
template <Scalar V>
HWY_INLINE V roundEven(V x) {
  constexpr V big = std::is_same_v<V, double> ? V(0x1p52) : V(0x1p23);
  const V size = std::fabs(x);
  return size < big ? std::copysign((size + big) - big, x) : x;
}
template <Scalar V>
HWY_INLINE V select(bool condition, V yes, V no) {
  return condition ? yes : no;
}
HWY_INLINE bool both(bool a, bool b) { return a && b; }
HWY_INLINE bool either(bool a, bool b) { return a || b; }
HWY_INLINE bool opposite(bool a) { return !a; }
template <Scalar V>
HWY_INLINE bool equal(V a, V b) {
  return a == b;
}
template <Scalar V>
HWY_INLINE bool isNan(V x) {
  return x != x;
}

HWY_INLINE uint64_t bitsOf(double x) { return std::bit_cast<uint64_t>(x); }
HWY_INLINE double fromBits(uint64_t bits) { return std::bit_cast<double>(bits); }
HWY_INLINE uint32_t bitsOf(float x) { return std::bit_cast<uint32_t>(x); }
HWY_INLINE float fromBits(uint32_t bits) { return std::bit_cast<float>(bits); }
template <class B>
requires std::is_same_v<B, uint64_t> HWY_INLINE B splatBits(uint64_t value) { return value; }
template <int count>
HWY_INLINE uint64_t shiftUp(uint64_t bits) {
  return bits << count;
}
template <int count>
HWY_INLINE uint64_t shiftDown(uint64_t bits) {
  return bits >> count;
}
HWY_INLINE bool anyBit(uint64_t bits, uint64_t mask) { return (bits & mask) != 0; }
HWY_INLINE double lookUp(const double *table, uint64_t index) { return table[index]; }

// --- vectors ---

#if TILERIG_VECTORS

template <Wide V>
HWY_INLINE V splat(double value) {
  return hn::Set(hn::DFromV<V>(), static_cast<hn::TFromV<V>>(value));
}
template <Wide V>
HWY_INLINE V fma(V a, V b, V c) {
  return hn::MulAdd(a, b, c);
}
template <Wide V>
HWY_INLINE V squareRoot(V x) {
  return hn::Sqrt(x);
}
template <Wide V>
HWY_INLINE V magnitude(V x) {
  return hn::Abs(x);
}
template <Wide V>
HWY_INLINE V withSign(V size, V sign) {
  return hn::CopySignToAbs(size, sign);
}
template <Wide V>
HWY_INLINE V roundDown(V x) {
  return hn::Floor(x);
}
template <Wide V>
HWY_INLINE V roundUp(V x) {
  return hn::Ceil(x);
}
template <Wide V>
HWY_INLINE V roundEven(V x) {
  return hn::Round(x);
}
template <class M, Wide V>
HWY_INLINE V select(M condition, V yes, V no) {
  return hn::IfThenElse(condition, yes, no);
}
template <class M>
requires(!std::is_same_v<M, bool>) HWY_INLINE M both(M a, M b) { return hn::And(a, b); }
template <class M>
requires(!std::is_same_v<M, bool>) HWY_INLINE M either(M a, M b) { return hn::Or(a, b); }
template <class M>
requires(!std::is_same_v<M, bool>) HWY_INLINE M opposite(M a) { return hn::Not(a); }
template <Wide V>
HWY_INLINE auto equal(V a, V b) {
  return hn::Eq(a, b);
}
template <Wide V>
HWY_INLINE auto isNan(V x) {
  return hn::IsNaN(x);
}

template <Wide V>
HWY_INLINE auto bitsOf(V x) {
  return hn::BitCast(hn::RebindToUnsigned<hn::DFromV<V>>(), x);
}
template <Wide B>
HWY_INLINE auto fromBits(B bits) {
  return hn::BitCast(hn::RebindToFloat<hn::DFromV<B>>(), bits);
}
template <Wide B>
HWY_INLINE B splatBits(uint64_t value) {
  return hn::Set(hn::DFromV<B>(), value);
}
template <int count, Wide B>
HWY_INLINE B shiftUp(B bits) {
  return hn::ShiftLeft<count>(bits);
}
template <int count, Wide B>
HWY_INLINE B shiftDown(B bits) {
  return hn::ShiftRight<count>(bits);
}
template <Wide B>
HWY_INLINE auto anyBit(B bits, B mask) {
  const hn::RebindToFloat<hn::DFromV<B>> d;
  return hn::RebindMask(d, hn::TestBit(bits, mask));
}
template <Wide B>
HWY_INLINE auto lookUp(const double *table, B index) {
  const hn::RebindToFloat<hn::DFromV<B>> d;
  return hn::GatherIndex(d, table, hn::BitCast(hn::RebindToSigned<hn::DFromV<B>>(), index));
}

#endif // TILERIG_VECTORS

// --- functions that are the same for scalars and for vectors ---

template <class V>
HWY_INLINE V infinity() {
  return splat<V>(__builtin_inf());
}
template <class V>
HWY_INLINE V notANumber() {
  return splat<V>(__builtin_nan(""));
}
template <class V>
HWY_INLINE V negated(V x) {
  return splat<V>(-1) * x;
}
template <class V>
HWY_INLINE auto hasSignBit(V x) {
  return anyBit(bitsOf(x), splatBits<decltype(bitsOf(x))>(uint64_t(1) << 63));
}
// Replaces numbers below a lower bound by the bound; a NaN passes unchanged.
template <class V>
HWY_INLINE V atLeast(V x, V low) {
  return select(x < low, low, x);
}
template <class V>
HWY_INLINE V atMost(V x, V high) {
  return select(x > high, high, x);
}
// The polynomial c[0] + c[1] x + ... by Horner's rule from the highest power; each step is one fma.
template <class V, size_t count>
HWY_INLINE V horner(V x, const double (&coefficients)[count]) {
  V result = splat<V>(coefficients[count - 1]);
#pragma GCC unroll 32
  for (size_t i = 1; i < count; ++i)
    result = fma(result, x, splat<V>(coefficients[count - 1 - i]));
  return result;
}

// Replaces every NaN by the same one, so that the result does not depend on which of two NaN operands an
// instruction propagates. Compares bits, because a compiler may simplify `x != x ? NaN : x` to x; clang does.
HWY_INLINE float withOneNan(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  return std::bit_cast<float>((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits);
}

#if TILERIG_VECTORS
template <Wide V>
HWY_INLINE V withOneNan(V x) {
  const hn::DFromV<V> d;
  const hn::RebindToSigned<decltype(d)> dBits;
  static_assert(std::is_same_v<hn::TFromD<decltype(d)>, float>);
  const auto bits = hn::BitCast(dBits, x);
  const auto areNan = hn::Gt(hn::And(bits, hn::Set(dBits, 0x7fffffff)), hn::Set(dBits, 0x7f800000));
  return hn::BitCast(d, hn::IfThenElse(areNan, hn::Set(dBits, 0x7fc00000), bits));
}

// Evaluates a double formula on a vector of floats: each half is widened to doubles, and the results are
// rounded to fp32 once.
template <Wide V, class Formula>
HWY_INLINE V throughDoubles(V x, const Formula &formula) {
  const hn::DFromV<V> d;
  const hn::Half<decltype(d)> halfD;
  const hn::Rebind<double, decltype(halfD)> wideD;
  const auto low = hn::DemoteTo(halfD, formula(hn::PromoteTo(wideD, hn::LowerHalf(halfD, x))));
  const auto high = hn::DemoteTo(halfD, formula(hn::PromoteTo(wideD, hn::UpperHalf(halfD, x))));
  return hn::Combine(d, high, low);
}

// out = kernel(in), processed in pieces of as many elements as a vector has 32-bit lanes. The remainder is
// padded with zeros, whose results are discarded. `in` and `out` may be the same memory.
template <class In, class Out, class Kernel>
HWY_INLINE void forEachVector(const In *in, Out *out, size_t count, const Kernel &kernel) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<In, decltype(d)> dIn;
  const hn::Rebind<Out, decltype(d)> dOut;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(kernel(hn::LoadU(dIn, in + i)), dOut, out + i);
  if (i == count)
    return;
  HWY_ALIGN In inRest[hn::MaxLanes(d)] = {};
  HWY_ALIGN Out outRest[hn::MaxLanes(d)];
  std::memcpy(inRest, in + i, (count - i) * sizeof(In));
  hn::Store(kernel(hn::Load(dIn, inRest)), dOut, outRest);
  std::memcpy(out + i, outRest, (count - i) * sizeof(Out));
}
#endif

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // TILERIG_NUMERICS_FORMULAS_LANES_INL_H_
