// Conversions between element types. Floats to floats are rounded once, half to even; floats to integers are
// truncated and saturated (NaN becomes 0); integers to integers keep their low bits; a bool is true if the
// value is not zero.
#include "reference/Ops/Families.h"
#include "reference/Ops/Map.h"
#include "reference/Ops/Truncate.h"
#include "reference/Run/Floats.h"

#include <Eigen/Core>
#include <cmath>
#include <limits>

namespace tilerig::reference {

namespace {

template <class T>
inline constexpr bool isHalfFloat = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool isReal = std::is_arithmetic_v<T> || isHalfFloat<T>;

// Rounds to odd: a float32 that rounds to any 16-bit type exactly as `value` would. If `value` lies between
// two float32 numbers, the result is the one whose last bit is 1. Rounding to nearest twice would be wrong at
// ties.
template <class Wide>
float roundedToOdd(Wide value) {
  static_assert(std::numeric_limits<Wide>::digits >= std::numeric_limits<double>::digits);
  auto nearest = static_cast<float>(value);
  if (static_cast<Wide>(nearest) == value || std::isnan(nearest))
    return nearest;
  auto bits = std::bit_cast<uint32_t>(nearest);
  if (std::fabs(static_cast<Wide>(nearest)) > std::fabs(value))
    --bits;
  return std::bit_cast<float>(bits | 1);
}

template <class From>
float floatBeforeHalf(From value) {
  if constexpr (std::is_same_v<From, double>) {
    return roundedToOdd(value);
  } else if constexpr (std::is_integral_v<From> && sizeof(From) >= 4) {
    static_assert(std::numeric_limits<long double>::digits >= 64, "long double holds every 64-bit integer");
    return roundedToOdd(static_cast<long double>(value));
  } else {
    return static_cast<float>(value);
  }
}

template <class To, class From>
To converted(From value) {
  if constexpr (std::is_same_v<To, Float16>)
    return {Eigen::numext::bit_cast<uint16_t>(static_cast<Eigen::half>(floatBeforeHalf(value)))};
  else if constexpr (std::is_same_v<To, BFloat16>)
    return {Eigen::numext::bit_cast<uint16_t>(static_cast<Eigen::bfloat16>(floatBeforeHalf(value)))};
  else if constexpr (std::is_same_v<To, bool>)
    return value != From(0);
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
    return truncated<To>(value);
  else
    return static_cast<To>(value);
}

template <class To, class From>
Result<Tensor> convert(const Tensor &tensor, Threads &threads) {
  TILERIG_TRY(Tensor result, Tensor::makeUninitialised(dtypeOf<To>, tensor.shape()));
  const From *from = tensor.as<From>().data();
  To *to = result.mutableAs<To>().data();
  threads.forEach(static_cast<int64_t>(tensor.elementCount()), elementGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      to[i] = converted<To>(from[i]);
  });
  return result;
}

Status castTo(OpContext &context, DType type) {
  Tensor input = context.take(0);
  DType originalType = input.dtype();
  if (originalType == type) {
    context.outputs[0] = std::move(input);
    return success();
  }
  if (originalType == DType::f16 || originalType == DType::bf16)
    input = widened(input);
  return dispatch(input.dtype(), [&]<class From>() -> Status {
    return dispatch(type, [&]<class To>() -> Status {
      if constexpr (isReal<To> && std::is_arithmetic_v<From>) {
        TILERIG_TRY(context.outputs[0], (convert<To, From>(input, context.threads)));
        return success();
      } else {
        return context.notSupported(
            fmt::format("a cast from {} to {} is not supported", nameOf(originalType), nameOf(type)));
      }
    });
  });
}

// The operator Cast: its attribute `to` is the number of the target type; before opset 6 it was the type's
// name.
Status cast(OpContext &context) {
  if (context.opset() < 6) {
    TILERIG_TRY(std::string name, context.textAttribute("to"));
    for (char &letter : name)
      letter = static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
    auto type = dtypeNamed(name == "float" ? "float32" : name == "double" ? "float64" : name);
    return type ? castTo(context, *type)
                : context.notSupported(fmt::format("a cast to '{}' is not supported", name));
  }
  TILERIG_TRY(int64_t number, context.intAttribute("to"));
  auto type = dtypeOfOnnx(number);
  return type ? castTo(context, *type)
              : context.notSupported(fmt::format("a cast to element type {} is not supported", number));
}

Status castLike(OpContext &context) { return castTo(context, context.input(1).dtype()); }

} // namespace

std::span<const OpEntry> castingOps() {
  static constexpr OpEntry entries[] = {
      {"Cast", 1, 1, 1, cast, HalfFloats::native},
      {"CastLike", 15, 2, 2, castLike, HalfFloats::native},
  };
  return entries;
}

} // namespace tilerig::reference
