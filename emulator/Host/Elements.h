// Loops over elements with numpy's broadcasting, for operators of the host on types that the machine has no
// instructions for.
#pragma once

#include "emulator/Host/Kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <limits>

namespace tilerig::emulator {

// The shape to which tensors of these shapes are broadcast; an error if they do not fit.
Result<Shape> broadcastShape(const HostCall &call, std::initializer_list<Shape> shapes);

// A float as an integer: truncated and saturated; NaN becomes 0.
template <class To, class From>
To truncated(From value) {
  constexpr auto lowest = std::numeric_limits<To>::min(), highest = std::numeric_limits<To>::max();
  if (std::isnan(value))
    return 0;
  // The first number above the range is a power of two, which floats hold.
  if (value >= std::ldexp(From(1), std::numeric_limits<To>::digits))
    return highest;
  return value <= static_cast<From>(lowest) ? lowest : static_cast<To>(value);
}

// For each element of a tensor of shape `shape`, in order: the offsets of the elements of `count` operands that are
// broadcast to this shape.
template <size_t count>
class BroadcastOffsets {
public:
  BroadcastOffsets(const Shape &shape, const std::array<const Tensor *, count> &operands)
      : shape(shape), place(shape.size(), 0) {
    for (size_t i = 0; i < count; ++i) {
      const auto own = operands[i]->strides();
      const size_t missing = shape.size() - own.size();
      strides[i].assign(shape.size(), 0);
      for (size_t d = 0; d < own.size(); ++d)
        strides[i][missing + d] = operands[i]->shape()[d] == 1 ? 0 : own[d];
    }
  }

  const std::array<int64_t, count> &current() const { return offsets; }
  // Moves to the next element.
  void advance() {
    for (size_t d = shape.size(); d-- > 0;) {
      const bool isLast = ++place[d] == shape[d];
      const int64_t steps = isLast ? 1 - shape[d] : 1;
      for (size_t i = 0; i < count; ++i)
        offsets[i] += steps * strides[i][d];
      if (!isLast)
        return;
      place[d] = 0;
    }
  }

private:
  const Shape &shape;
  std::vector<int64_t> place;
  std::array<std::vector<int64_t>, count> strides;
  std::array<int64_t, count> offsets = {};
};

// The tensor of the elements f(a, b) for two broadcast tensors with elements of type T; its elements have type To.
template <class To, class T, class F>
Result<HostResult> combineElements(const HostCall &call, const Tensor &a, const Tensor &b, F f) {
  TILERIG_TRY(const Shape shape, broadcastShape(call, {a.shape(), b.shape()}));
  TILERIG_TRY(Tensor result, Tensor::make(dtypeOf<To>, shape));
  const auto left = a.as<T>(), right = b.as<T>();
  BroadcastOffsets<2> offsets(shape, {&a, &b});
  for (To &element : result.template mutableAs<To>()) {
    const auto [i, j] = offsets.current();
    element = f(left[static_cast<size_t>(i)], right[static_cast<size_t>(j)]);
    offsets.advance();
  }
  return HostResult{std::vector{std::move(result)}};
}

} // namespace tilerig::emulator
