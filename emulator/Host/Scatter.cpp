// The host operators ScatterElements and ScatterND: copy the input, then store updates at given indices or
// combine them with the elements there (add, mul, max, min), in the order of the indices.
#include "emulator/Host/Places.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::emulator {

namespace {

// The type in which elements are added and multiplied. Integers are converted to unsigned types, whose
// results wrap around: overflow of signed integers is undefined in C++.
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;

// The function that combines an element with an update; null if the element type does not support it.
template <class T>
T (*reductionOf(const std::string &name))
(T, T) {
  if (name == "none")
    return [](T, T update) { return update; };
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    if (name == "add")
      return [](T a, T b) { return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b)); };
    if (name == "mul")
      return [](T a, T b) { return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)); };
    // If either operand is NaN, the result is NaN, as on the device.
    if (name == "max")
      return [](T a, T b) { return a != a || a > b ? a : b; };
    if (name == "min")
      return [](T a, T b) { return a != a || a < b ? a : b; };
  }
  return nullptr;
}

// The destinations of the updates of a scatter operator: block i of the updates goes to block places[i] of
// the input. A block has `blockSize` elements.
struct Puts {
  std::vector<int64_t> places;
  uint64_t blockSize = 1;
};

Result<HostResult> put(const HostCall &call, const Puts &puts) {
  const Tensor &input = *call.inputs[0], &updates = *call.inputs[2];
  if (updates.dtype() != input.dtype())
    return call.refuse(fmt::format("the updates have type {}, but the input has type {}",
                                   nameOf(updates.dtype()), nameOf(input.dtype())));
  const std::string name = call.text("reduction", "none");
  Tensor result = input;
  return dispatch(input.dtype(), [&]<class T>() -> Result<HostResult> {
    const auto reduce = reductionOf<T>(name);
    if (!reduce)
      return call.refuse(
          fmt::format("reduction '{}' is not supported for type {}", name, nameOf(input.dtype())));
    const auto to = result.mutableAs<T>();
    const auto from = updates.as<T>();
    for (size_t i = 0; i < puts.places.size(); ++i)
      for (uint64_t j = 0; j < puts.blockSize; ++j) {
        T &element = to[static_cast<uint64_t>(puts.places[i]) * puts.blockSize + j];
        element = reduce(element, from[i * puts.blockSize + j]);
      }
    return HostResult{std::vector{std::move(result)}};
  });
}

} // namespace

Result<HostResult> runScatterElements(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  TILERIG_TRY(const std::vector<int64_t> indices, indicesOf(call, 1));
  TILERIG_TRY(const Tensor *updates, call.input(2));
  TILERIG_TRY(const int64_t axis, axisOf(call, "axis", 0, input->rank()));
  const Shape &shape = call.inputs[1]->shape(), &into = input->shape();
  bool fits = shape.size() == into.size() && shape == updates->shape();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = static_cast<int64_t>(d) == axis || shape[d] <= into[d];
  if (!fits)
    return call.refuse(fmt::format("indices of shape {} and updates of shape {} do not fit input shape {}",
                                   showShape(shape), showShape(updates->shape()), showShape(into)));
  const auto strides = input->strides(), own = updates->strides();
  Puts puts;
  for (size_t i = 0; i < indices.size(); ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t place = static_cast<int64_t>(i) / own[d] % shape[d];
      if (static_cast<int64_t>(d) == axis) {
        TILERIG_TRY(place, placeOf(call, indices[i], into[d]));
      }
      at += place * strides[d];
    }
    puts.places.push_back(at);
  }
  return put(call, puts);
}

Result<HostResult> runScatterND(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  TILERIG_TRY(const std::vector<int64_t> indices, indicesOf(call, 1));
  TILERIG_TRY(const Tensor *updates, call.input(2));
  const Shape &shape = call.inputs[1]->shape(), &into = input->shape();
  const size_t depth = shape.empty() ? 0 : static_cast<size_t>(shape.back());
  if (depth == 0 || depth > into.size())
    return call.refuse(fmt::format("the last dimension of indices shape {} must be from 1 to the input's "
                                   "rank; the input has shape {}",
                                   showShape(shape), showShape(into)));
  Shape needed(shape.begin(), shape.end() - 1);
  const Shape block(into.begin() + static_cast<int64_t>(depth), into.end());
  needed.insert(needed.end(), block.begin(), block.end());
  if (updates->shape() != needed)
    return call.refuse(
        fmt::format("updates have shape {}, expected {}", showShape(updates->shape()), showShape(needed)));
  Puts puts;
  puts.blockSize = countOf(block);
  for (size_t i = 0; i < indices.size(); i += depth) {
    int64_t at = 0;
    for (size_t d = 0; d < depth; ++d) {
      TILERIG_TRY(const int64_t place, placeOf(call, indices[i + d], into[d]));
      at = at * into[d] + place;
    }
    puts.places.push_back(at);
  }
  return put(call, puts);
}

} // namespace tilerig::emulator
