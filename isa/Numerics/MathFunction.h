// The enumeration of all functions of one float, with their names and numbers of parameters.
//
// README.md states the formula of each function; Functions.h evaluates them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilerig {

enum class MathFunction : uint8_t {
  identity,
  relu,
  leakyRelu,
  thresholdedRelu,
  clip,
  elu,
  selu,
  celu,
  sigmoid,
  hardSigmoid,
  tanh,
  softplus,
  softsign,
  silu,
  hardSwish,
  mish,
  geluErf,
  geluTanh,
  exp,
  log,
  sqrt,
  rsqrt,
  reciprocal,
  erf,
  abs,
  neg,
  floor,
  ceil,
  round,
  sign,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  asinh,
  acosh,
  atanh,
  logicalNot,
  isNan,
  isInf
};

inline constexpr auto mathFunctionNames =
    std::to_array<std::string_view>({"identity", "relu",         "leaky_relu", "thresholded_relu",
                                     "clip",     "elu",          "selu",       "celu",
                                     "sigmoid",  "hard_sigmoid", "tanh",       "softplus",
                                     "softsign", "silu",         "hard_swish", "mish",
                                     "gelu_erf", "gelu_tanh",    "exp",        "log",
                                     "sqrt",     "rsqrt",        "reciprocal", "erf",
                                     "abs",      "neg",          "floor",      "ceil",
                                     "round",    "sign",         "sin",        "cos",
                                     "tan",      "asin",         "acos",       "atan",
                                     "sinh",     "cosh",         "asinh",      "acosh",
                                     "atanh",    "not",          "is_nan",     "is_inf"});
inline constexpr size_t numMathFunctions = mathFunctionNames.size();
static_assert(static_cast<size_t>(MathFunction::isInf) + 1 == numMathFunctions);

constexpr std::string_view nameOf(MathFunction function) {
  return mathFunctionNames[static_cast<size_t>(function)];
}
std::optional<MathFunction> mathFunctionNamed(std::string_view name);

// How many of the parameters (alpha, beta) a mathematical function uses; the others are ignored. For
// functions with both parameters, comments name what alpha and beta are.
constexpr unsigned numParameters(MathFunction function) {
  switch (function) {
  case MathFunction::clip:        // alpha is the lower bound, beta the upper bound
  case MathFunction::selu:        // alpha is ONNX's alpha, beta is ONNX's gamma
  case MathFunction::hardSigmoid: // alpha is the slope, beta the offset
    return 2;
  case MathFunction::leakyRelu:
  case MathFunction::thresholdedRelu:
  case MathFunction::elu:
  case MathFunction::celu:
    return 1;
  default:
    return 0;
  }
}

} // namespace tilerig
