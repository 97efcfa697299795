// Type dispatch for operators on floats, and conversion of 16-bit floats to float32 and back.
#pragma once

#include "reference/Run/Floats.h"
#include "reference/Run/Operator.h"

#include <fmt/core.h>

namespace tilerig::reference {

// Calls f.template operator()<T>() with the type of `tensor`; an error if that is neither float32 nor
// float64.
template <class F>
Status withFloats(const OpContext &context, const Tensor &tensor, F f) {
  switch (tensor.dtype()) {
  case DType::f32:
    return f.template operator()<float>();
  case DType::f64:
    return f.template operator()<double>();
  default:
    return context.invalid(
        fmt::format("an input has type {}, expected a float type", nameOf(tensor.dtype())));
  }
}
template <class F>
Status withFloats(const OpContext &context, F f) {
  return withFloats(context, context.input(0), f);
}

// For operators whose table entry has HalfFloats::native: wide() converts 16-bit floats to float32 and leaves
// other types unchanged; narrow() converts float32 back.
inline Tensor wide(Tensor tensor) {
  if (isHalf(tensor.dtype()))
    return widened(tensor);
  return tensor;
}
inline Tensor narrow(Tensor tensor, DType type) {
  if (isHalf(type))
    return narrowHalves(std::move(tensor), type);
  return tensor;
}

// The elements of a tensor of any float type, converted to type T.
template <class T>
Result<std::vector<T>> floatsAs(const OpContext &context, const Tensor &input) {
  Tensor tensor = wide(input);
  std::vector<T> result(tensor.elementCount());
  TILERIG_CHECK_OK(withFloats(context, tensor, [&]<class From>() {
    auto from = tensor.as<From>();
    std::transform(from.begin(), from.end(), result.begin(), [](From x) { return static_cast<T>(x); });
    return success();
  }));
  return result;
}

} // namespace tilerig::reference
