// The host operator Cast, between types of which the machine has no instructions for one. Floats become integers by
// truncation and saturation, NaN becomes 0; integers keep their low bits; floats are rounded once, ties to even.
#include "emulator/Host/Elements.h"
#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"

namespace tilerig::emulator {

namespace {

template <class T>
constexpr bool isHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// Whether elements of type From can be converted: 16-bit floats are rounded from double, which holds all elements of
// other types except 64-bit integers.
template <class From, class To>
constexpr bool isConvertible = (std::is_arithmetic_v<From> || isHalf<From>)&&(
    std::is_arithmetic_v<To> ||
    isHalf<To>)&&!(isHalf<To> && (std::is_same_v<From, int64_t> || std::is_same_v<From, uint64_t>));

template <class To, class From>
To converted(From value) {
  if constexpr (std::is_same_v<From, Float16>)
    return converted<To>(toFloat(Fp16{value.bits}));
  else if constexpr (std::is_same_v<From, BFloat16>)
    return converted<To>(toFloat(Bf16{value.bits}));
  else if constexpr (std::is_same_v<To, Float16>)
    return {fp16FromDouble(static_cast<double>(value)).bits};
  else if constexpr (std::is_same_v<To, BFloat16>)
    return {bf16FromDouble(static_cast<double>(value)).bits};
  else if constexpr (std::is_same_v<To, bool>)
    return value != From(0);
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
    return truncated<To>(value);
  else
    return static_cast<To>(value);
}

} // namespace

Result<HostResult> runCast(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  TILERIG_TRY(const int64_t number, call.integer("to"));
  const std::optional<DType> type = dtypeOfOnnx(number);
  if (!type)
    return call.refuse(fmt::format("attribute 'to' has the unknown element type {}", number));
  TILERIG_TRY(Tensor result, Tensor::make(*type, input->shape()));
  const bool isDefined = dispatch(input->dtype(), [&]<class From>() {
    return dispatch(*type, [&]<class To>() {
      if constexpr (isConvertible<From, To>)
        std::ranges::transform(input->as<From>(), result.mutableAs<To>().begin(), converted<To, From>);
      return isConvertible<From, To>;
    });
  });
  if (!isDefined)
    return call.refuse(
        fmt::format("a cast from {} to {} is not supported", nameOf(input->dtype()), nameOf(*type)));
  return HostResult{std::vector{std::move(result)}};
}

} // namespace tilerig::emulator
