// Integer arithmetic that wraps around, where the ONNX specification leaves overflow open.
#pragma once

#include <functional>
#include <type_traits>

namespace tilerig::reference {

// Computes f(a, b), where f is +, - or *. Integers are computed unsigned and in at least the width of int, so
// overflow is defined.
template <class T, class F>
T wrapping(T a, T b, F f) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    using Bits = std::make_unsigned_t<std::common_type_t<T, int>>;
    return static_cast<T>(f(static_cast<Bits>(a), static_cast<Bits>(b)));
  } else {
    return static_cast<T>(f(a, b));
  }
}
template <class T>
T wrappingSum(T a, T b) {
  return wrapping(a, b, std::plus());
}
template <class T>
T wrappingProduct(T a, T b) {
  return wrapping(a, b, std::multiplies());
}

} // namespace tilerig::reference
