// The formula of every MathFunction, for inlining into loops.
//
// `withFunction(f, callback)` turns the run-time value f into a compile-time constant, so that the switch is
// outside the loop: it calls callback(std::integral_constant<MathFunction, f>). In the callback,
// evaluateLanes<f>(x, alpha, beta) maps fp32 to fp32, for a scalar or a vector. Simple functions take one
// fp32 operation or none; all others are computed in double and rounded once. Every NaN in a result has the
// same bits, 0x7fc00000.
#if defined(TILERIG_NUMERICS_FORMULAS_UNARY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_NUMERICS_FORMULAS_UNARY_INL_H_
#undef TILERIG_NUMERICS_FORMULAS_UNARY_INL_H_
#else
#define TILERIG_NUMERICS_FORMULAS_UNARY_INL_H_
#endif

#include "isa/Numerics/Formulas/ErrorFunction-inl.h"
#include "isa/Numerics/Formulas/Exponential-inl.h"
#include "isa/Numerics/Formulas/InverseTrigonometric-inl.h"
#include "isa/Numerics/Formulas/Lanes-inl.h"
#include "isa/Numerics/Formulas/Logarithm-inl.h"
#include "isa/Numerics/Formulas/Trigonometric-inl.h"
#include "isa/Numerics/MathFunction.h"

#include <type_traits>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

template <class V>
inline constexpr bool noFormula = false;

// The functions that are a single fp32 operation or a selection and need no double.
template <MathFunction f, class V>
HWY_INLINE V formulaInFp32(V x, [[maybe_unused]] V alpha, [[maybe_unused]] V beta) {
  using F = MathFunction;
  [[maybe_unused]] const V zero = splat<V>(0), one = splat<V>(1);
  if constexpr (f == F::identity)
    return x;
  else if constexpr (f == F::relu)
    return atLeast(x, zero);
  else if constexpr (f == F::leakyRelu)
    return select(x < zero, alpha * x, x);
  else if constexpr (f == F::thresholdedRelu)
    return select(x <= alpha, zero, x);
  else if constexpr (f == F::clip)
    return atMost(atLeast(x, alpha), beta);
  else if constexpr (f == F::sqrt)
    return squareRoot(x);
  else if constexpr (f == F::reciprocal)
    return one / x;
  else if constexpr (f == F::abs)
    return magnitude(x);
  else if constexpr (f == F::neg)
    return negated(x);
  else if constexpr (f == F::floor)
    return roundDown(x);
  else if constexpr (f == F::ceil)
    return roundUp(x);
  else if constexpr (f == F::round)
    return roundEven(x);
  else if constexpr (f == F::sign)
    return select(x > zero, one, select(x < zero, splat<V>(-1), x));
  else if constexpr (f == F::logicalNot)
    return select(equal(x, zero), one, zero);
  else if constexpr (f == F::isNan)
    return select(isNan(x), one, zero);
  else if constexpr (f == F::isInf)
    return select(equal(magnitude(x), infinity<V>()), one, zero);
  else
    static_assert(noFormula<V>);
}

// All functions that are more than a single fp32 operation or a selection, evaluated on floats widened to
// double. Where an argument is clamped, the exact result of every argument beyond the bound rounds to the
// same fp32 number as the clamped one.
template <MathFunction f, class V>
HWY_INLINE V formulaInDouble(V x, [[maybe_unused]] V alpha, [[maybe_unused]] V beta) {
  using F = MathFunction;
  [[maybe_unused]] const V zero = splat<V>(0), one = splat<V>(1), two = splat<V>(2),
                           largest = splat<V>(0x1.fffffep127);
  if constexpr (f == F::elu) {
    return select(x >= zero, x, alpha * exponentialMinus1(x));
  } else if constexpr (f == F::selu) {
    return beta * select(x > zero, x, alpha * exponentialMinus1(x));
  } else if constexpr (f == F::celu) {
    return select(x > zero, x, zero) + atMost(alpha * exponentialMinus1(x / alpha), zero);
  } else if constexpr (f == F::sigmoid) {
    return one / (one + exponential(zero - x));
  } else if constexpr (f == F::hardSigmoid) {
    return atMost(atLeast(fma(alpha, x, beta), zero), one);
  } else if constexpr (f == F::tanh) {
    return hyperbolicTangent(x);
  } else if constexpr (f == F::softplus) {
    return select(x > zero, x, zero) + logarithmOf1Plus(exponential(zero - magnitude(x)));
  } else if constexpr (f == F::softsign) {
    const V bounded = atMost(atLeast(x, zero - largest), largest);
    return bounded / (one + magnitude(bounded));
  } else if constexpr (f == F::silu) {
    const V bounded = atLeast(x, splat<V>(-708));
    return bounded / (one + exponential(zero - bounded));
  } else if constexpr (f == F::hardSwish) {
    const V bounded = atLeast(x, splat<V>(-3));
    return bounded * atMost(bounded + splat<V>(3), splat<V>(6)) / splat<V>(6);
  } else if constexpr (f == F::mish) {
    // Mish is x tanh(log(1 + e)) with e = exp(x). With n = e (e + 2), the tanh is n / (n + 2).
    const V bounded = atLeast(x, splat<V>(-708));
    const V e = exponential(atMost(bounded, splat<V>(40)));
    const V n = e * (e + two);
    return bounded * (n / (n + two));
  } else if constexpr (f == F::geluErf) {
    return geluOfErf(x);
  } else if constexpr (f == F::geluTanh) {
    // GELU by tanh is x (1 + tanh(t / 2)) / 2, with a cubic polynomial t of x. That is x / (1 + e^-t).
    const V bounded = atLeast(x, splat<V>(-20));
    const V cubic = splat<V>(coefficients::geluCubic) * (bounded * bounded);
    const V t = splat<V>(coefficients::twoSqrtTwoOverPi) * fma(cubic, bounded, bounded);
    return bounded / (one + exponential(zero - t));
  } else if constexpr (f == F::exp) {
    return exponential(x);
  } else if constexpr (f == F::log) {
    return naturalLogarithm(x);
  } else if constexpr (f == F::rsqrt) {
    return one / squareRoot(x);
  } else if constexpr (f == F::erf) {
    return errorFunction(x);
  } else if constexpr (f == F::sin) {
    return sine(x);
  } else if constexpr (f == F::cos) {
    return cosine(x);
  } else if constexpr (f == F::tan) {
    return tangent(x);
  } else if constexpr (f == F::asin) {
    return arcSine(x);
  } else if constexpr (f == F::acos) {
    return arcCosine(x);
  } else if constexpr (f == F::atan) {
    return arcTangent(x);
  } else if constexpr (f == F::sinh) {
    return hyperbolicSine(x);
  } else if constexpr (f == F::cosh) {
    return hyperbolicCosine(x);
  } else if constexpr (f == F::asinh) {
    return inverseHyperbolicSine(x);
  } else if constexpr (f == F::acosh) {
    return inverseHyperbolicCosine(x);
  } else if constexpr (f == F::atanh) {
    return inverseHyperbolicTangent(x);
  } else {
    static_assert(noFormula<V>);
  }
}

constexpr bool isInDouble(MathFunction f) {
  using F = MathFunction;
  switch (f) {
  case F::identity:
  case F::relu:
  case F::leakyRelu:
  case F::thresholdedRelu:
  case F::clip:
  case F::sqrt:
  case F::reciprocal:
  case F::abs:
  case F::neg:
  case F::floor:
  case F::ceil:
  case F::round:
  case F::sign:
  case F::logicalNot:
  case F::isNan:
  case F::isInf:
    return false;
  default:
    return true;
  }
}

template <MathFunction f>
HWY_INLINE float evaluateLanes(float x, float alpha, float beta) {
  if constexpr (isInDouble(f))
    return withOneNan(static_cast<float>(formulaInDouble<f, double>(x, alpha, beta)));
  else
    return f == MathFunction::identity ? x : withOneNan(formulaInFp32<f>(x, alpha, beta));
}

#if TILERIG_VECTORS
template <MathFunction f, Wide V>
HWY_INLINE V evaluateLanes(V x, float alpha, float beta) {
  if constexpr (f == MathFunction::identity) {
    return x;
  } else if constexpr (isInDouble(f)) {
    return withOneNan(throughDoubles(x, [=](auto wide) HWY_ATTR {
      using W = decltype(wide);
      return formulaInDouble<f>(wide, splat<W>(alpha), splat<W>(beta));
    }));
  } else {
    return withOneNan(formulaInFp32<f>(x, splat<V>(alpha), splat<V>(beta)));
  }
}
#endif

template <class Callback, size_t... index>
HWY_INLINE void withFunction(MathFunction function, const Callback &callback, std::index_sequence<index...>) {
  constexpr auto at = [](size_t i) { return static_cast<MathFunction>(i); };
  (void)((function == at(index) && (callback(std::integral_constant<MathFunction, at(index)>()), true)) ||
         ...);
}
template <class Callback>
HWY_INLINE void withFunction(MathFunction function, const Callback &callback) {
  withFunction(function, callback, std::make_index_sequence<numMathFunctions>());
}

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // TILERIG_NUMERICS_FORMULAS_UNARY_INL_H_
