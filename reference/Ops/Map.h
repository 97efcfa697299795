// Applies a function to every element of a tensor: the loop common to all unary operators.
#pragma once

#include "reference/Functions/Functions.h"
#include "reference/Run/Operator.h"

#include <fmt/core.h>

namespace tilerig::reference {

// Minimum number of elements per piece of a parallel loop with little work per element.
inline constexpr int64_t elementGrain = 1 << 14;

// Sets output 0 to f(x) for every element x of input 0, in the same type. Overwrites the input if no other
// node reads it.
template <class T, class F>
void mapInPlace(OpContext &context, F f) {
  Tensor tensor = context.take(0);
  auto elements = tensor.mutableAs<T>();
  context.threads.forEach(static_cast<int64_t>(elements.size()), elementGrain,
                          [&](int64_t begin, int64_t end) {
                            for (int64_t i = begin; i < end; ++i)
                              elements[i] = f(elements[i]);
                          });
  context.outputs[0] = std::move(tensor);
}

// Sets output 0 to f(x) for every element x of a float32 or float64 input 0; other types are an error.
template <class F>
Status mapFloats(OpContext &context, F f) {
  switch (context.input(0).dtype()) {
  case DType::f32:
    mapInPlace<float>(context, f);
    return success();
  case DType::f64:
    mapInPlace<double>(context, f);
    return success();
  default:
    return context.invalid(
        fmt::format("the input has type {}, expected a float type", nameOf(context.input(0).dtype())));
  }
}

// If input 0 is float32, sets output 0 by the machine's formula of the function and returns true; otherwise
// does nothing and returns false.
inline bool mapFloat32(OpContext &context, const FunctionCall &call) {
  if (context.input(0).dtype() != DType::f32)
    return false;
  Tensor tensor = context.take(0);
  float *elements = tensor.mutableAs<float>().data();
  context.threads.forEach(
      static_cast<int64_t>(tensor.elementCount()), elementGrain,
      [&](int64_t begin, int64_t end) { apply(call, elements + begin, elements + begin, end - begin); });
  context.outputs[0] = std::move(tensor);
  return true;
}

// Sets output 0 by the machine's formula of the function for a float32 input, and by `f` for a float64 input;
// other types are an error.
template <class F>
Status mapFunction(OpContext &context, const FunctionCall &call, F f) {
  return mapFloat32(context, call) ? success() : mapFloats(context, f);
}

// Sets output 0 to f(x) for every element x of an input of any real number type but bool; 16-bit floats have
// already been widened.
template <class F>
Status mapNumbers(OpContext &context, F f) {
  DType type = context.input(0).dtype();
  return dispatch(type, [&]<class T>() -> Status {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      mapInPlace<T>(context, [&](T x) { return static_cast<T>(f(x)); });
      return success();
    } else {
      return context.invalid(fmt::format("the input has type {}, expected a numeric type", nameOf(type)));
    }
  });
}

} // namespace tilerig::reference
