// Expected values of the float functions, from the C library and textbook formulas, in a type R wider than
// fp32.
//
// For tests only: the C library's last bits differ between machines, but they lie far below the errors
// measured here. The formulas are those of the mathematical definitions, not those of the kernels.
#pragma once

#include "isa/Numerics/MathFunction.h"

#include <cmath>
#include <limits>

namespace tilerig {

template <class R>
R softplusOracle(R x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

template <class R>
R oracle(MathFunction function, R x, R alpha, R beta) {
  using F = MathFunction;
  if (std::isnan(x) && function != F::isNan && function != F::isInf && function != F::logicalNot)
    return x;
  // At minus infinity, some functions are the product of a growing factor and a factor that vanishes faster.
  // Their limit is -0.
  const bool vanishes = x == -std::numeric_limits<R>::infinity();
  switch (function) {
  case F::identity:
    return x;
  case F::relu:
    return std::fmax(x, R(0));
  case F::leakyRelu:
    return x < 0 ? alpha * x : x;
  case F::thresholdedRelu:
    return x > alpha ? x : 0;
  case F::clip:
    return std::fmin(std::fmax(x, alpha), beta);
  case F::elu:
    return x > 0 ? x : alpha * std::expm1(x);
  case F::selu:
    return beta * (x > 0 ? x : alpha * std::expm1(x));
  case F::celu:
    return std::fmax(x, R(0)) + std::fmin(R(0), alpha * std::expm1(x / alpha));
  case F::sigmoid:
    return 1 / (1 + std::exp(-x));
  case F::hardSigmoid:
    return std::fmax(R(0), std::fmin(R(1), alpha * x + beta));
  case F::tanh:
    return std::tanh(x);
  case F::softplus:
    return softplusOracle(x);
  case F::softsign:
    return std::isinf(x) ? std::copysign(R(1), x) : x / (1 + std::fabs(x));
  case F::silu:
    return vanishes ? R(-0.0) : x / (1 + std::exp(-x));
  case F::hardSwish:
    return vanishes ? R(-0.0) : x * std::fmax(R(0), std::fmin(R(1), x / 6 + R(0.5)));
  case F::mish:
    return vanishes ? R(-0.0) : x * std::tanh(softplusOracle(x));
  case F::geluErf:
    return vanishes ? R(-0.0) : x * std::erfc(-x / std::sqrt(R(2))) / 2;
  case F::geluTanh: {
    const R inner = std::sqrt(2 / std::acos(R(-1))) * (x + R(0.044715L) * x * x * x);
    // The tanh form of GELU, (1 + tanh(inner)) / 2 * x, in an equal form without cancellation.
    return vanishes ? R(-0.0) : x / (1 + std::exp(-2 * inner));
  }
  case F::exp:
    return std::exp(x);
  case F::log:
    return std::log(x);
  case F::sqrt:
    return std::sqrt(x);
  case F::rsqrt:
    return 1 / std::sqrt(x);
  case F::reciprocal:
    return 1 / x;
  case F::erf:
    return std::erf(x);
  case F::abs:
    return std::fabs(x);
  case F::neg:
    return -x;
  case F::floor:
    return std::floor(x);
  case F::ceil:
    return std::ceil(x);
  case F::round:
    return std::nearbyint(x);
  case F::sign:
    return x > 0 ? 1 : x < 0 ? -1 : 0;
  case F::sin:
    return std::sin(x);
  case F::cos:
    return std::cos(x);
  case F::tan:
    return std::tan(x);
  case F::asin:
    return std::asin(x);
  case F::acos:
    return std::acos(x);
  case F::atan:
    return std::atan(x);
  case F::sinh:
    return std::sinh(x);
  case F::cosh:
    return std::cosh(x);
  case F::asinh:
    return std::asinh(x);
  case F::acosh:
    return std::acosh(x);
  case F::atanh:
    return std::atanh(x);
  case F::logicalNot:
    return x == 0;
  case F::isNan:
    return std::isnan(x);
  case F::isInf:
    return std::isinf(x);
  }
  return 0;
}

// The distance of a float from the true value in ulp (the spacing of floats at the true value). Beyond the
// largest float the spacing continues, and infinity counts as 2^128. A NaN is infinitely far from a number.
template <class R>
R errorInUlp(float result, R truth) {
  if (std::isnan(result) || std::isnan(truth))
    return std::isnan(result) && std::isnan(truth) ? 0 : std::numeric_limits<R>::infinity();
  const R top = std::ldexp(R(1), 128);
  const R bounded = std::fmin(std::fmax(truth, -top), top);
  const R value = std::isinf(result) ? std::copysign(top, R(result)) : R(result);
  int exponent;
  std::frexp(bounded, &exponent);
  if (std::fabs(bounded) == top)
    exponent = 128;
  return std::fabs(value - bounded) / std::ldexp(R(1), std::max(exponent, -125) - 24);
}

} // namespace tilerig
