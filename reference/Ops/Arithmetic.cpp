// Element-wise operators on two or more tensors with broadcasting: arithmetic, comparison, logic, bitwise
// operators.
#include "reference/Functions/Functions.h"
#include "reference/Ops/Broadcast.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Truncate.h"
#include "reference/Ops/Wrapping.h"
#include "reference/Run/Scratch.h"

#include <cmath>

namespace tilerig::reference {

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

static Status sameTypes(const OpContext &context) {
  for (size_t i = 1; i < context.numInputs(); ++i)
    if (context.input(i).dtype() != context.input(0).dtype())
      return context.invalid(fmt::format("the inputs have the types {} and {}, expected one type",
                                         nameOf(context.input(0).dtype()), nameOf(context.input(i).dtype())));
  return success();
}

static Error wrongType(const OpContext &context, const char *wanted) {
  return context.invalid(
      fmt::format("the inputs have type {}, expected {}", nameOf(context.input(0).dtype()), wanted));
}

// Sets output 0 to f(a, b) for two inputs of the same number type; the output has that type, or is bool for a
// comparison.
template <bool comparison = false, class F>
static Status binaryNumbers(OpContext &context, F f) {
  TILERIG_CHECK_OK(sameTypes(context));
  return dispatch(context.input(0).dtype(), [&]<class T>() -> Status {
    if constexpr (Number<T>) {
      using Out = std::conditional_t<comparison, bool, T>;
      return mapBroadcast<Out, T>(context, context.input(0), context.input(1), f);
    } else {
      return wrongType(context, "numbers");
    }
  });
}

static Status add(OpContext &context) {
  return binaryNumbers(context, []<class T>(T a, T b) { return wrappingSum(a, b); });
}
static Status subtract(OpContext &context) {
  return binaryNumbers(context, []<class T>(T a, T b) { return wrapping(a, b, std::minus()); });
}
static Status multiply(OpContext &context) {
  return binaryNumbers(context, []<class T>(T a, T b) { return wrappingProduct(a, b); });
}

// a / b; for integers, the quotient is truncated, division by zero (undefined in ONNX) gives 0, and the
// lowest number divided by -1 wraps around to itself.
template <class T>
static T quotient(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0)
      return 0;
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return wrapping(T(0), a, std::minus());
    return static_cast<T>(a / b);
  } else {
    return a / b;
  }
}
template <class T>
static T remainder(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1)) ? T(0) : static_cast<T>(a % b);
  else
    return std::fmod(a, b);
}

static bool hasZero(const Tensor &tensor) {
  return dispatch(tensor.dtype(), [&]<class T>() {
    auto elements = tensor.as<T>();
    return std::is_integral_v<T> && std::find(elements.begin(), elements.end(), T{}) != elements.end();
  });
}

static Status divide(OpContext &context) {
  if (hasZero(context.input(1)))
    return context.invalid("integer division by zero");
  return binaryNumbers(context, []<class T>(T a, T b) { return quotient(a, b); });
}

static Status modulo(OpContext &context) {
  TILERIG_TRY(int64_t fmod, context.intAttribute("fmod", 0));
  DType type = context.input(0).dtype();
  if (!fmod && (type == DType::f32 || type == DType::f64))
    return context.invalid("float inputs need attribute fmod = 1");
  if (hasZero(context.input(1)))
    return context.invalid("integer division by zero");
  return binaryNumbers(context, [=]<class T>(T a, T b) {
    T rest = remainder(a, b);
    bool takesSignOfDivisor = !fmod && rest != 0 && (rest < 0) != (b < 0);
    return takesSignOfDivisor ? static_cast<T>(rest + b) : rest;
  });
}

// Integer power by repeated squaring, modulo 2^n for an n-bit type. A negative exponent gives 1, -1 or 0.
template <class Base, class Exponent>
static Base integerPower(Base base, Exponent exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == static_cast<Base>(-1) ? (exponent % 2 ? base : Base(1)) : Base(0);
  Base result = 1;
  for (auto left = static_cast<uint64_t>(exponent); left; left >>= 1) {
    if (left & 1)
      result = wrappingProduct(result, base);
    base = wrappingProduct(base, base);
  }
  return result;
}

// Powers of float32 bases by the machine's formula; exponents are first rounded to float32.
template <class Exponent>
static void raiseFloats(OpContext &context, const BroadcastLoop<2> &loop, const float *bases,
                        std::span<const Exponent> exponents, float *to) {
  Scratch<float> rounded(static_cast<int64_t>(exponents.size()));
  std::ranges::transform(exponents, rounded.begin(), [](Exponent x) { return static_cast<float>(x); });
  context.threads.forEach(loop.rows, 1 + (1 << 12) / loop.inner, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      auto start = loop.startOf(row);
      raise(bases + start[0], loop.innerStride(0), rounded.data() + start[1], loop.innerStride(1),
            to + row * loop.inner, loop.inner);
    }
  });
}

// Converts a power that was computed in double to the type of the base.
template <class T>
static T powerAs(double power) {
  if constexpr (std::is_integral_v<T>)
    return truncated<T>(power);
  else
    return static_cast<T>(power);
}

// The operator Pow: the result has the type of the base; the exponent is first converted to double or int64.
static Status power(OpContext &context) {
  Tensor exponent = context.input(1);
  bool integral = true;
  TILERIG_TRY(Tensor wide, dispatch(exponent.dtype(), [&]<class T>() -> Result<Tensor> {
                if constexpr (Number<T>) {
                  integral = std::is_integral_v<T>;
                  using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
                  Tensor converted(dtypeOf<Wide>, exponent.shape());
                  auto from = exponent.as<T>();
                  std::copy(from.begin(), from.end(), converted.mutableAs<Wide>().begin());
                  return converted;
                } else {
                  return wrongType(context, "numbers");
                }
              }));
  const Tensor &base = context.input(0);
  TILERIG_TRY(Shape shape, broadcastShape(context, std::array{base.shape(), exponent.shape()}));
  return dispatch(base.dtype(), [&]<class T>() -> Status {
    if constexpr (Number<T>) {
      TILERIG_TRY(Tensor output, Tensor::make(dtypeOf<T>, shape));
      auto to = output.mutableAs<T>();
      if (to.empty()) {
        context.outputs[0] = std::move(output);
        return success();
      }
      BroadcastLoop<2> loop(shape, {base.shape(), wide.shape()});
      auto raise = [&](auto exponents) {
        auto bases = base.as<T>();
        if constexpr (std::is_same_v<T, float>)
          return raiseFloats(context, loop, bases.data(), exponents, to.data());
        for (int64_t row = 0; row < loop.rows; ++row) {
          auto start = loop.startOf(row);
          for (int64_t i = 0; i < loop.inner; ++i) {
            T x = bases[start[0] + i * loop.innerStride(0)];
            auto y = exponents[start[1] + i * loop.innerStride(1)];
            if constexpr (std::is_integral_v<T> && std::is_integral_v<decltype(y)>)
              to[row * loop.inner + i] = integerPower(x, y);
            else
              to[row * loop.inner + i] = powerAs<T>(std::pow(static_cast<double>(x), static_cast<double>(y)));
          }
        }
      };
      if (integral)
        raise(wide.as<int64_t>());
      else
        raise(wide.as<double>());
      context.outputs[0] = std::move(output);
      return success();
    } else {
      return wrongType(context, "numbers");
    }
  });
}

// Combines all inputs of an operator such as Sum or Max from the left: f(f(a, b), c) ...
template <class F>
static Status foldInputs(OpContext &context, F f) {
  if (context.numInputs() == 1) {
    context.outputs[0] = context.take(0);
    return success();
  }
  TILERIG_CHECK_OK(sameTypes(context));
  Tensor sum = context.input(0);
  for (size_t i = 1; i < context.numInputs(); ++i) {
    TILERIG_CHECK_OK(dispatch(sum.dtype(), [&]<class T>() -> Status {
      if constexpr (Number<T>)
        return mapBroadcast<T, T>(context, sum, context.input(i), f);
      else
        return wrongType(context, "numbers");
    }));
    sum = std::move(context.output(0));
  }
  context.outputs[0] = std::move(sum);
  return success();
}

// The greater of two numbers; NaN prevails over every number, and +0 is greater than -0.
template <class T>
static T greater(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a != a ? a : b != b ? b : a > b || (a == b && std::signbit(b)) ? a : b;
  else
    return std::max(a, b);
}
template <class T>
static T lesser(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a != a ? a : b != b ? b : a < b || (a == b && std::signbit(a)) ? a : b;
  else
    return std::min(a, b);
}

static Status maximum(OpContext &context) {
  return foldInputs(context, []<class T>(T a, T b) { return greater(a, b); });
}
static Status minimum(OpContext &context) {
  return foldInputs(context, []<class T>(T a, T b) { return lesser(a, b); });
}
static Status sum(OpContext &context) {
  return foldInputs(context, []<class T>(T a, T b) { return wrappingSum(a, b); });
}

static Status mean(OpContext &context) {
  auto count = static_cast<double>(context.numInputs());
  TILERIG_CHECK_OK(sum(context));
  Tensor &total = context.output(0);
  if (total.dtype() == DType::f32)
    for (float &x : total.mutableAs<float>())
      x /= static_cast<float>(count);
  else if (total.dtype() == DType::f64)
    for (double &x : total.mutableAs<double>())
      x /= count;
  else
    return wrongType(context, "floats");
  return success();
}

// Sets output 0 to the bools f(a, b) for two inputs of the same number type, or for two bools.
template <class F>
static Status compare(OpContext &context, F f) {
  if (context.input(0).dtype() == DType::boolean && context.input(1).dtype() == DType::boolean)
    return mapBroadcast<bool, bool>(context, context.input(0), context.input(1), f);
  return binaryNumbers<true>(context, f);
}
static Status equal(OpContext &context) { return compare(context, std::equal_to()); }
static Status less(OpContext &context) { return compare(context, std::less()); }
static Status lessOrEqual(OpContext &context) { return compare(context, std::less_equal()); }
static Status greaterThan(OpContext &context) { return compare(context, std::greater()); }
static Status greaterOrEqual(OpContext &context) { return compare(context, std::greater_equal()); }

template <class F>
static Status logic(OpContext &context, F f) {
  if (context.input(0).dtype() != DType::boolean || context.input(1).dtype() != DType::boolean)
    return wrongType(context, "bools");
  return mapBroadcast<bool, bool>(context, context.input(0), context.input(1), f);
}
static Status logicalAnd(OpContext &context) { return logic(context, std::logical_and()); }
static Status logicalOr(OpContext &context) { return logic(context, std::logical_or()); }
static Status logicalXor(OpContext &context) { return logic(context, std::not_equal_to()); }

template <class F>
static Status bitwise(OpContext &context, F f) {
  TILERIG_CHECK_OK(sameTypes(context));
  return dispatch(context.input(0).dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return mapBroadcast<T, T>(context, context.input(0), context.input(1), f);
    else
      return wrongType(context, "integers");
  });
}
static Status bitwiseAnd(OpContext &context) {
  return bitwise(context, []<class T>(T a, T b) { return static_cast<T>(a & b); });
}
static Status bitwiseOr(OpContext &context) {
  return bitwise(context, []<class T>(T a, T b) { return static_cast<T>(a | b); });
}
static Status bitwiseXor(OpContext &context) {
  return bitwise(context, []<class T>(T a, T b) { return static_cast<T>(a ^ b); });
}

// The operator BitShift: shifting by the bit width of the type or more gives 0.
static Status bitShift(OpContext &context) {
  TILERIG_TRY(std::string direction, context.textAttribute("direction"));
  if (direction != "LEFT" && direction != "RIGHT")
    return context.invalid(fmt::format("attribute direction is '{}', expected LEFT or RIGHT", direction));
  bool left = direction == "LEFT";
  return bitwise(context, [=]<class T>(T a, T b) {
    using Bits = std::make_unsigned_t<T>;
    auto amount = static_cast<Bits>(b);
    if (amount >= sizeof(T) * 8)
      return T(0);
    return static_cast<T>(left ? static_cast<Bits>(a) << amount : static_cast<Bits>(a) >> amount);
  });
}

std::span<const OpEntry> arithmeticOps() {
  static constexpr OpEntry entries[] = {
      {"Add", 1, 2, 2, legacyBroadcast<add>},
      {"Add", 7, 2, 2, add},
      {"Sub", 1, 2, 2, legacyBroadcast<subtract>},
      {"Sub", 7, 2, 2, subtract},
      {"Mul", 1, 2, 2, legacyBroadcast<multiply>},
      {"Mul", 7, 2, 2, multiply},
      {"Div", 1, 2, 2, legacyBroadcast<divide>},
      {"Div", 7, 2, 2, divide},
      {"Mod", 10, 2, 2, modulo},
      {"Pow", 1, 2, 2, legacyBroadcast<power>, HalfFloats::widenedEach},
      {"Pow", 7, 2, 2, power, HalfFloats::widenedEach},
      {"Max", 1, 1, anyNumber, maximum},
      {"Min", 1, 1, anyNumber, minimum},
      {"Sum", 1, 1, anyNumber, sum},
      {"Mean", 1, 1, anyNumber, mean},
      {"Equal", 1, 2, 2, legacyBroadcast<equal>},
      {"Equal", 7, 2, 2, equal},
      {"Less", 1, 2, 2, legacyBroadcast<less>},
      {"Less", 7, 2, 2, less},
      {"LessOrEqual", 12, 2, 2, lessOrEqual},
      {"Greater", 1, 2, 2, legacyBroadcast<greaterThan>},
      {"Greater", 7, 2, 2, greaterThan},
      {"GreaterOrEqual", 12, 2, 2, greaterOrEqual},
      {"And", 1, 2, 2, legacyBroadcast<logicalAnd>},
      {"And", 7, 2, 2, logicalAnd},
      {"Or", 1, 2, 2, legacyBroadcast<logicalOr>},
      {"Or", 7, 2, 2, logicalOr},
      {"Xor", 1, 2, 2, legacyBroadcast<logicalXor>},
      {"Xor", 7, 2, 2, logicalXor},
      {"BitwiseAnd", 18, 2, 2, bitwiseAnd},
      {"BitwiseOr", 18, 2, 2, bitwiseOr},
      {"BitwiseXor", 18, 2, 2, bitwiseXor},
      {"BitShift", 11, 2, 2, bitShift},
  };
  return entries;
}

} // namespace tilerig::reference
