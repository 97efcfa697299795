// Element-wise unary operators: activation functions, elementary functions, rounding, tests.
//
// Each implements its formula in the ONNX specification. Functions that the machine supports are computed
// with its formulas (Functions.h) for float32, whether the fast or the machine's arithmetic is chosen, and
// with the standard library for float64.
#include "reference/Ops/Families.h"
#include "reference/Ops/Map.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace tilerig::reference {

static Status relu(OpContext &context) {
  if (mapFloat32(context, {Function::relu}))
    return success();
  return mapNumbers(context, [](auto x) { return x > 0 || x != x ? x : decltype(x)(0); });
}

static std::optional<FinishStep> reluStep(const OpContext &) { return FinishStep{{Function::relu}}; }

static Status leakyRelu(OpContext &context) {
  TILERIG_TRY(float alpha, context.floatAttribute("alpha", 0.01f));
  return mapFunction(context, {Function::leakyRelu, alpha},
                     [=]<class T>(T x) { return x < 0 ? T(alpha) * x : x; });
}

static Status thresholdedRelu(OpContext &context) {
  TILERIG_TRY(float alpha, context.floatAttribute("alpha", 1.0f));
  return mapFunction(context, {Function::thresholdedRelu, alpha},
                     [=]<class T>(T x) { return x <= T(alpha) ? T(0) : x; });
}

static Status shrink(OpContext &context) {
  TILERIG_TRY(float lambda, context.floatAttribute("lambd", 0.5f));
  TILERIG_TRY(float bias, context.floatAttribute("bias", 0.0f));
  return mapNumbers(context, [=](auto x) {
    return x < -lambda ? x + bias : x > lambda ? x - bias : decltype(x + bias)(0);
  });
}

// x * gate(x), where the gate tends to 0 as x tends to -Inf. For x = -Inf the result is the limit -0, as
// isa/Numerics/README.md specifies, and not -Inf * 0.
template <class T, class Gate>
static T gated(T x, Gate gate) {
  return x == -std::numeric_limits<T>::infinity() ? T(-0.0) : x * gate(x);
}

template <class T>
static T logistic(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

// log(1 + e^x), computed without overflow.
template <class T>
static T softplusOf(T x) {
  return std::max(x, T(0)) + std::log1p(std::exp(-std::abs(x)));
}

static Status sigmoid(OpContext &context) {
  return mapFunction(context, {Function::sigmoid}, []<class T>(T x) { return logistic(x); });
}

static Status hardSigmoid(OpContext &context) {
  TILERIG_TRY(float alpha, context.floatAttribute("alpha", 0.2f));
  TILERIG_TRY(float beta, context.floatAttribute("beta", 0.5f));
  return mapFunction(context, {Function::hardSigmoid, alpha, beta},
                     [=]<class T>(T x) { return std::min(std::max(T(alpha) * x + T(beta), T(0)), T(1)); });
}

static Status hardSwish(OpContext &context) {
  return mapFunction(context, {Function::hardSwish}, []<class T>(T x) {
    return gated(x, [](T y) { return std::min(std::max(y / T(6) + T(0.5), T(0)), T(1)); });
  });
}

// The operator Swish, x * sigmoid(alpha * x). The machine has this function only for alpha = 1.
static Status swish(OpContext &context) {
  TILERIG_TRY(float alpha, context.floatAttribute("alpha", 1.0f));
  auto product = [=]<class T>(T x) { return x * logistic(T(alpha) * x); };
  if (alpha == 1)
    return mapFunction(context, {Function::silu},
                       []<class T>(T x) { return gated(x, [](T y) { return logistic(y); }); });
  return mapFloats(context, product);
}

static Status elu(OpContext &context) {
  TILERIG_TRY(float alpha, context.floatAttribute("alpha", 1.0f));
  return mapFunction(context, {Function::elu, alpha},
                     [=]<class T>(T x) { return x < 0 ? T(alpha) * std::expm1(x) : x; });
}

static Status celu(OpContext &context) {
  TILERIG_TRY(float alpha, context.floatAttribute("alpha", 1.0f));
  return mapFunction(context, {Function::celu, alpha}, [=]<class T>(T x) {
    return std::max(x, T(0)) + std::min(T(alpha) * std::expm1(x / T(alpha)), T(0));
  });
}

static Status selu(OpContext &context) {
  TILERIG_TRY(float alpha, context.floatAttribute("alpha", 1.67326319217681884765625f));
  TILERIG_TRY(float gamma, context.floatAttribute("gamma", 1.05070102214813232421875f));
  return mapFunction(context, {Function::selu, alpha, gamma},
                     [=]<class T>(T x) { return T(gamma) * (x > 0 ? x : T(alpha) * std::expm1(x)); });
}

static Status softplus(OpContext &context) {
  return mapFunction(context, {Function::softplus}, []<class T>(T x) { return softplusOf(x); });
}
static Status softsign(OpContext &context) {
  return mapFunction(context, {Function::softsign}, []<class T>(T x) {
    return std::isinf(x) ? std::copysign(T(1), x) : x / (T(1) + std::abs(x));
  });
}
static Status mish(OpContext &context) {
  return mapFunction(context, {Function::mish},
                     []<class T>(T x) { return gated(x, [](T y) { return std::tanh(softplusOf(y)); }); });
}

static Result<bool> approximatesByTanh(const OpContext &context) {
  auto approximate = context.textAttribute("approximate", "none");
  if (!approximate)
    return approximate.error();
  std::string_view name = *approximate;
  if (name != "none" && name != "tanh")
    return context.invalid(fmt::format("attribute approximate is '{}', expected 'none' or 'tanh'", name));
  return name == "tanh";
}

static Status gelu(OpContext &context) {
  TILERIG_TRY(bool byTanh, approximatesByTanh(context));
  if (!byTanh)
    return mapFunction(context, {Function::geluErf}, []<class T>(T x) {
      return gated(x, [](T y) { return T(0.5) * (T(1) + std::erf(y * T(std::numbers::sqrt2 / 2))); });
    });
  return mapFunction(context, {Function::geluTanh}, []<class T>(T x) {
    return gated(x, [](T y) {
      const T inner = T(std::numbers::sqrt2 * std::numbers::inv_sqrtpi) * (y + T(0.044715) * y * y * y);
      return T(0.5) * (T(1) + std::tanh(inner));
    });
  });
}

// The operator Clip: its bounds are attributes before opset 11 and optional inputs since then. If a bound is
// absent, no value is clamped on its side, not even an infinity.
static Status clipAttributes(OpContext &context) {
  TILERIG_TRY(float low, context.floatAttribute("min", -std::numeric_limits<float>::infinity()));
  TILERIG_TRY(float high, context.floatAttribute("max", std::numeric_limits<float>::infinity()));
  return mapFunction(context, {Function::clip, low, high},
                     [=]<class T>(T x) { return std::min(std::max(x, T(low)), T(high)); });
}

static std::optional<FinishStep> clipAttributesStep(const OpContext &context) {
  auto low = context.floatAttribute("min", -std::numeric_limits<float>::infinity());
  auto high = context.floatAttribute("max", std::numeric_limits<float>::infinity());
  if (!low || !high)
    return std::nullopt;
  return FinishStep{{Function::clip, *low, *high}};
}

static Status clipInputs(OpContext &context) {
  for (size_t i = 1; i < context.numInputs(); ++i)
    if (context.has(i) &&
        (context.input(i).dtype() != context.input(0).dtype() || context.input(i).elementCount() != 1))
      return context.invalid("the bounds min and max must be scalars of the input's type");
  return dispatch(context.input(0).dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      using Limits = std::numeric_limits<T>;
      T low = context.has(1)         ? context.input(1).as<T>()[0]
              : Limits::has_infinity ? -Limits::infinity()
                                     : Limits::lowest();
      T high = context.has(2)         ? context.input(2).as<T>()[0]
               : Limits::has_infinity ? Limits::infinity()
                                      : Limits::max();
      FunctionCall clip{Function::clip, static_cast<float>(low), static_cast<float>(high)};
      if (!mapFloat32(context, clip))
        mapInPlace<T>(context, [=](T x) { return std::min(std::max(x, low), high); });
      return success();
    } else {
      return context.invalid(
          fmt::format("the input has type {}, expected a numeric type", nameOf(context.input(0).dtype())));
    }
  });
}

static std::optional<FinishStep> clipInputsStep(const OpContext &context) {
  FunctionCall clip{Function::clip, -std::numeric_limits<float>::infinity(),
                    std::numeric_limits<float>::infinity()};
  for (size_t i = 1; i < context.numInputs(); ++i)
    if (context.has(i)) {
      if (context.input(i).dtype() != DType::f32 || context.input(i).elementCount() != 1)
        return std::nullopt;
      (i == 1 ? clip.alpha : clip.beta) = context.input(i).as<float>()[0];
    }
  return FinishStep{clip};
}

static Status absolute(OpContext &context) {
  if (mapFloat32(context, {Function::abs}))
    return success();
  return mapNumbers(context, []<class T>(T x) {
    if constexpr (std::is_unsigned_v<T>)
      return x;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(x < 0 ? -static_cast<std::make_unsigned_t<T>>(x) : x);
    else
      return std::abs(x);
  });
}
static Status negate(OpContext &context) {
  if (mapFloat32(context, {Function::neg}))
    return success();
  return mapNumbers(context, []<class T>(T x) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(-static_cast<std::make_unsigned_t<T>>(x));
    else
      return -x;
  });
}
static Status sign(OpContext &context) {
  if (mapFloat32(context, {Function::sign}))
    return success();
  return mapNumbers(context, []<class T>(T x) { return x != x ? x : static_cast<T>((x > 0) - (x < 0)); });
}

static Status reciprocal(OpContext &context) {
  return mapFunction(context, {Function::reciprocal}, []<class T>(T x) { return T(1) / x; });
}
// The operator Round: std::nearbyint rounds half to even in the default rounding mode.
static Status roundHalfEven(OpContext &context) {
  return mapFunction(context, {Function::round}, []<class T>(T x) { return std::nearbyint(x); });
}

#define TILERIG_ELEMENTARY(kernel, function)                                                                 \
  static Status kernel(OpContext &context) {                                                                 \
    return mapFunction(context, {Function::function}, []<class T>(T x) { return std::function(x); });        \
  }
TILERIG_ELEMENTARY(floorOf, floor)
TILERIG_ELEMENTARY(ceilOf, ceil)
TILERIG_ELEMENTARY(squareRoot, sqrt)
TILERIG_ELEMENTARY(exponential, exp)
TILERIG_ELEMENTARY(logarithm, log)
TILERIG_ELEMENTARY(errorFunction, erf)
TILERIG_ELEMENTARY(sine, sin)
TILERIG_ELEMENTARY(cosine, cos)
TILERIG_ELEMENTARY(tangent, tan)
TILERIG_ELEMENTARY(arcSine, asin)
TILERIG_ELEMENTARY(arcCosine, acos)
TILERIG_ELEMENTARY(arcTangent, atan)
TILERIG_ELEMENTARY(hyperbolicSine, sinh)
TILERIG_ELEMENTARY(hyperbolicCosine, cosh)
TILERIG_ELEMENTARY(hyperbolicTangent, tanh)
TILERIG_ELEMENTARY(areaSine, asinh)
TILERIG_ELEMENTARY(areaCosine, acosh)
TILERIG_ELEMENTARY(areaTangent, atanh)
#undef TILERIG_ELEMENTARY

// Sets output 0 to the bools f(x) for every element x of input 0.
template <class F>
static Status testFloats(OpContext &context, F f) {
  const Tensor &input = context.input(0);
  Tensor output(DType::boolean, input.shape());
  auto to = output.mutableAs<bool>();
  auto test = [&](auto from) {
    for (size_t i = 0; i < from.size(); ++i)
      to[i] = f(from[i]);
  };
  if (input.dtype() == DType::f32)
    test(input.as<float>());
  else if (input.dtype() == DType::f64)
    test(input.as<double>());
  else
    return context.invalid(
        fmt::format("the input has type {}, expected a float type", nameOf(input.dtype())));
  context.outputs[0] = std::move(output);
  return success();
}

static Status isNan(OpContext &context) {
  return testFloats(context, [](auto x) { return x != x; });
}
static Status isInf(OpContext &context) {
  TILERIG_TRY(int64_t positive, context.intAttribute("detect_positive", 1));
  TILERIG_TRY(int64_t negative, context.intAttribute("detect_negative", 1));
  return testFloats(context, [=](auto x) { return std::isinf(x) && (x > 0 ? positive : negative); });
}

static Status logicalNot(OpContext &context) {
  if (context.input(0).dtype() != DType::boolean)
    return context.invalid("the input must be of type bool");
  mapInPlace<bool>(context, [](bool x) { return !x; });
  return success();
}
static Status bitwiseNot(OpContext &context) {
  return dispatch(context.input(0).dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      mapInPlace<T>(context, [](T x) { return static_cast<T>(~x); });
      return success();
    } else {
      return context.invalid("the input must have an integer type");
    }
  });
}

std::span<const OpEntry> activationOps() {
  static constexpr OpEntry entries[] = {
      {"Relu", 1, 1, 1, relu, HalfFloats::widened, {}, reluStep},
      {"LeakyRelu", 1, 1, 1, leakyRelu},
      {"ThresholdedRelu", 10, 1, 1, thresholdedRelu},
      {"Shrink", 9, 1, 1, shrink},
      {"Sigmoid", 1, 1, 1, sigmoid},
      {"HardSigmoid", 1, 1, 1, hardSigmoid},
      {"HardSwish", 14, 1, 1, hardSwish},
      {"Swish", 24, 1, 1, swish},
      {"Elu", 1, 1, 1, elu},
      {"Celu", 12, 1, 1, celu},
      {"Selu", 1, 1, 1, selu},
      {"Softplus", 1, 1, 1, softplus},
      {"Softsign", 1, 1, 1, softsign},
      {"Mish", 18, 1, 1, mish},
      {"Gelu", 20, 1, 1, gelu},
      {"Clip", 1, 1, 1, clipAttributes, HalfFloats::widened, {}, clipAttributesStep},
      {"Clip", 11, 1, 3, clipInputs, HalfFloats::widened, {}, clipInputsStep},
      {"Abs", 1, 1, 1, absolute},
      {"Neg", 1, 1, 1, negate},
      {"Sign", 9, 1, 1, sign},
      {"Reciprocal", 1, 1, 1, reciprocal},
      {"Round", 11, 1, 1, roundHalfEven},
      {"Floor", 1, 1, 1, floorOf},
      {"Ceil", 1, 1, 1, ceilOf},
      {"Sqrt", 1, 1, 1, squareRoot},
      {"Exp", 1, 1, 1, exponential},
      {"Log", 1, 1, 1, logarithm},
      {"Erf", 9, 1, 1, errorFunction},
      {"Sin", 7, 1, 1, sine},
      {"Cos", 7, 1, 1, cosine},
      {"Tan", 7, 1, 1, tangent},
      {"Asin", 7, 1, 1, arcSine},
      {"Acos", 7, 1, 1, arcCosine},
      {"Atan", 7, 1, 1, arcTangent},
      {"Sinh", 9, 1, 1, hyperbolicSine},
      {"Cosh", 9, 1, 1, hyperbolicCosine},
      {"Tanh", 1, 1, 1, hyperbolicTangent},
      {"Asinh", 9, 1, 1, areaSine},
      {"Acosh", 9, 1, 1, areaCosine},
      {"Atanh", 9, 1, 1, areaTangent},
      {"IsNaN", 9, 1, 1, isNan},
      {"IsInf", 10, 1, 1, isInf},
      {"Not", 1, 1, 1, logicalNot},
      {"BitwiseNot", 18, 1, 1, bitwiseNot},
  };
  return entries;
}

} // namespace tilerig::reference
