// The host operators on one or two elements: arithmetic, comparisons, minima and maxima, and operations on bits, for
// types that the machine has no instructions for (integers of other sizes, float64) or for which no instruction
// exists. Integers wrap around. The remainder has the sign of the divisor, with the attribute `fmod` that of the
// dividend. Of minima and maxima NaN prevails, and +0 is above -0, as on the machine.
#include "emulator/Host/Elements.h"

#include <cmath>

namespace tilerig::emulator {

namespace {

template <class T>
constexpr bool isNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
template <class T>
constexpr bool isInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// The unsigned type in which integers of type T are computed: at least as wide as int, so that no operand is
// promoted to a signed type.
template <class T>
using Bits = std::make_unsigned_t<std::common_type_t<T, int>>;

template <class T>
T sum(T a, T b) {
  if constexpr (isInteger<T>)
    return static_cast<T>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b));
  else
    return a + b;
}
template <class T>
T difference(T a, T b) {
  if constexpr (isInteger<T>)
    return static_cast<T>(static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b));
  else
    return a - b;
}
template <class T>
T product(T a, T b) {
  if constexpr (isInteger<T>)
    return static_cast<T>(static_cast<Bits<T>>(a) * static_cast<Bits<T>>(b));
  else
    return a * b;
}

// The quotient, of integers towards zero. The divisor of integers is not zero; the lowest integer divided by -1
// wraps around.
template <class T>
T quotient(T a, T b) {
  if constexpr (isInteger<T> && std::is_signed_v<T>)
    if (b == T(-1))
      return difference(T(0), a);
  return static_cast<T>(a / b);
}

template <class T>
T remainderLikeDividend(T a, T b) {
  if constexpr (!isInteger<T>)
    return std::fmod(a, b);
  else if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return 0;
  else
    return static_cast<T>(a % b);
}
template <class T>
T remainderLikeDivisor(T a, T b) {
  const T rest = remainderLikeDividend(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
}

template <class T>
T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
    if (a == b)
      return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}
template <class T>
T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
    if (a == b)
      return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}

// Shifts by as many places as the type has bits, or more, give 0.
template <class T>
T shifted(T value, T places, bool toLeft) {
  if (static_cast<Bits<T>>(places) >= 8 * sizeof(T))
    return 0;
  const auto bits = static_cast<Bits<T>>(static_cast<std::make_unsigned_t<T>>(value));
  return static_cast<T>(toLeft ? bits << places : bits >> places);
}

// Calls f.template operator()<T>() with the type of the operands, which all have the same type; an error if they do
// not, or if accepts<T>() is false for their type.
template <class Accepts, class F>
Result<HostResult> withType(const HostCall &call, Accepts accepts, F f) {
  TILERIG_TRY(const Tensor *first, call.input(0));
  for (const Tensor *input : call.inputs)
    if (input && input->dtype() != first->dtype())
      return call.refuse(fmt::format("the operands have the types {} and {}", nameOf(first->dtype()),
                                     nameOf(input->dtype())));
  return dispatch(first->dtype(), [&]<class T>() -> Result<HostResult> {
    if constexpr (accepts.template operator()<T>())
      return f.template operator()<T>();
    else
      return call.refuse(fmt::format("the operator is not defined for type {}", nameOf(first->dtype())));
  });
}

constexpr auto anyNumber = []<class T>() { return isNumber<T>; };
constexpr auto anyInteger = []<class T>() { return isInteger<T>; };

template <class F>
Result<HostResult> combine(const HostCall &call, F f) {
  TILERIG_TRY(const Tensor *b, call.input(1));
  return withType(call, anyNumber,
                  [&]<class T>() { return combineElements<T, T>(call, *call.inputs[0], *b, f); });
}
template <class F>
Result<HostResult> combineBits(const HostCall &call, F f) {
  TILERIG_TRY(const Tensor *b, call.input(1));
  return withType(call, anyInteger,
                  [&]<class T>() { return combineElements<T, T>(call, *call.inputs[0], *b, f); });
}
template <class F>
Result<HostResult> compare(const HostCall &call, F f) {
  TILERIG_TRY(const Tensor *b, call.input(1));
  return withType(call, anyNumber,
                  [&]<class T>() { return combineElements<bool, T>(call, *call.inputs[0], *b, f); });
}

template <class T, class F>
Result<HostResult> mapElements(const HostCall &call, F f) {
  Tensor result = *call.inputs[0];
  for (T &element : result.mutableAs<T>())
    element = f(element);
  return HostResult{std::vector{std::move(result)}};
}

// Returns an error if the second operand has integers and one of them is zero.
Status refuseZero(const HostCall &call) {
  TILERIG_TRY(const Tensor *divisor, call.input(1));
  const bool hasZero = dispatch(divisor->dtype(), [&]<class T>() {
    if constexpr (isInteger<T>)
      return std::ranges::find(divisor->as<T>(), T(0)) != divisor->as<T>().end();
    else
      return false;
  });
  return hasZero ? Status(call.refuse("an integer is divided by zero")) : success();
}

// A power of integers by repeated squaring, which wraps around. A power of a negative exponent is rounded towards
// zero.
template <class Base>
Base powerOf(Base base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? Base(1) : base == static_cast<Base>(-1) ? (exponent % 2 ? base : Base(1)) : Base(0);
  Base power = 1;
  for (; exponent > 0; exponent >>= 1, base = product(base, base))
    if (exponent & 1)
      power = product(power, base);
  return power;
}

} // namespace

Result<HostResult> runAbs(const HostCall &call) {
  return withType(call, anyNumber, [&]<class T>() {
    return mapElements<T>(call, [](T x) {
      if constexpr (isInteger<T>)
        return x < 0 ? difference(T(0), x) : x;
      else
        return std::abs(x);
    });
  });
}
Result<HostResult> runNeg(const HostCall &call) {
  return withType(call, anyNumber, [&]<class T>() {
    return mapElements<T>(call, [](T x) {
      if constexpr (isInteger<T>)
        return difference(T(0), x);
      else
        return -x;
    });
  });
}
Result<HostResult> runSign(const HostCall &call) {
  return withType(call, anyNumber, [&]<class T>() {
    return mapElements<T>(call, [](T x) { return x != x ? x : static_cast<T>((x > 0) - (x < 0)); });
  });
}
Result<HostResult> runBitwiseNot(const HostCall &call) {
  return withType(call, anyInteger,
                  [&]<class T>() { return mapElements<T>(call, [](T x) { return static_cast<T>(~x); }); });
}

Result<HostResult> runAdd(const HostCall &call) {
  return combine(call, []<class T>(T a, T b) { return sum(a, b); });
}
Result<HostResult> runSub(const HostCall &call) {
  return combine(call, []<class T>(T a, T b) { return difference(a, b); });
}
Result<HostResult> runMul(const HostCall &call) {
  return combine(call, []<class T>(T a, T b) { return product(a, b); });
}
Result<HostResult> runDiv(const HostCall &call) {
  TILERIG_CHECK_OK(refuseZero(call));
  return combine(call, []<class T>(T a, T b) { return quotient(a, b); });
}
Result<HostResult> runMod(const HostCall &call) {
  TILERIG_TRY(const int64_t fmod, call.integer("fmod", 0));
  TILERIG_CHECK_OK(refuseZero(call));
  if (fmod != 0)
    return combine(call, []<class T>(T a, T b) { return remainderLikeDividend(a, b); });
  return combineBits(call, []<class T>(T a, T b) { return remainderLikeDivisor(a, b); });
}
Result<HostResult> runMax(const HostCall &call) {
  return combine(call, []<class T>(T a, T b) { return larger(a, b); });
}
Result<HostResult> runMin(const HostCall &call) {
  return combine(call, []<class T>(T a, T b) { return smaller(a, b); });
}

// Writes the powers of integers to `result`, and returns false if none are defined for the types. Powers of real
// exponents are computed in double and truncated.
template <class Base, class Exponent>
bool raise(const Tensor &bases, const Tensor &exponents, Tensor &result) {
  if constexpr (!isInteger<Base> || !isNumber<Exponent> || std::is_same_v<Exponent, uint64_t>) {
    return false;
  } else {
    BroadcastOffsets<2> offsets(result.shape(), {&bases, &exponents});
    for (Base &power : result.mutableAs<Base>()) {
      const auto [i, j] = offsets.current();
      const Base base = bases.as<Base>()[static_cast<size_t>(i)];
      const Exponent exponent = exponents.as<Exponent>()[static_cast<size_t>(j)];
      if constexpr (isInteger<Exponent>)
        power = powerOf(base, static_cast<int64_t>(exponent));
      else
        power = truncated<Base>(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
      offsets.advance();
    }
    return true;
  }
}

// The exponents may have another type than the bases.
Result<HostResult> runPow(const HostCall &call) {
  TILERIG_TRY(const Tensor *bases, call.input(0));
  TILERIG_TRY(const Tensor *exponents, call.input(1));
  TILERIG_TRY(const Shape shape, broadcastShape(call, {bases->shape(), exponents->shape()}));
  TILERIG_TRY(Tensor result, Tensor::make(bases->dtype(), shape));
  const bool isDefined = dispatch(bases->dtype(), [&]<class Base>() {
    return dispatch(exponents->dtype(),
                    [&]<class Exponent>() { return raise<Base, Exponent>(*bases, *exponents, result); });
  });
  if (!isDefined)
    return call.refuse(fmt::format("powers of {} to {} are not supported", nameOf(bases->dtype()),
                                   nameOf(exponents->dtype())));
  return HostResult{std::vector{std::move(result)}};
}

Result<HostResult> runEqual(const HostCall &call) { return compare(call, std::equal_to()); }
Result<HostResult> runLess(const HostCall &call) { return compare(call, std::less()); }
Result<HostResult> runLessOrEqual(const HostCall &call) { return compare(call, std::less_equal()); }
Result<HostResult> runGreater(const HostCall &call) { return compare(call, std::greater()); }
Result<HostResult> runGreaterOrEqual(const HostCall &call) { return compare(call, std::greater_equal()); }

Result<HostResult> runBitwiseAnd(const HostCall &call) {
  return combineBits(call, []<class T>(T a, T b) { return static_cast<T>(a & b); });
}
Result<HostResult> runBitwiseOr(const HostCall &call) {
  return combineBits(call, []<class T>(T a, T b) { return static_cast<T>(a | b); });
}
Result<HostResult> runBitwiseXor(const HostCall &call) {
  return combineBits(call, []<class T>(T a, T b) { return static_cast<T>(a ^ b); });
}
Result<HostResult> runBitShift(const HostCall &call) {
  const std::string direction = call.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return call.refuse(fmt::format("attribute 'direction' is '{}', expected 'LEFT' or 'RIGHT'", direction));
  const bool toLeft = direction == "LEFT";
  return combineBits(call, [toLeft]<class T>(T a, T b) { return shifted(a, b, toLeft); });
}

} // namespace tilerig::emulator
