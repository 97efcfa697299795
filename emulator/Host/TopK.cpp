// The host operator TopK: the k largest (or smallest) elements along an axis in order, and their indices. Of
// equal elements, the first comes first; a NaN counts as larger than any number. k is an attribute if the
// compiler knows it, otherwise the second input, as in ONNX.
#include "emulator/Host/Kernels.h"

#include <algorithm>
#include <fmt/core.h>
#include <numeric>

namespace tilerig::emulator {

namespace {

template <class T>
bool greater(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a != a ? b == b : a > b;
  else
    return a > b;
}

template <class T>
void selectRow(std::span<const T> elements, int64_t first, int64_t step, int64_t length, bool largest,
               std::span<int64_t> best) {
  std::vector<int64_t> order(static_cast<size_t>(length));
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto comesFirst = [&](int64_t i, int64_t j) {
    const T a = elements[first + i * step], b = elements[first + j * step];
    const bool isBefore = largest ? greater(a, b) : greater(b, a),
               isAfter = largest ? greater(b, a) : greater(a, b);
    return isBefore || (!isAfter && i < j);
  };
  std::ranges::partial_sort(order, order.begin() + std::ssize(best), comesFirst);
  std::copy_n(order.begin(), best.size(), best.begin());
}

Result<int64_t> howMany(const HostCall &call) {
  if (call.work.attributes().contains("k"))
    return call.integer("k");
  TILERIG_TRY(const Tensor *k, call.input(1));
  if (k->dtype() != DType::i64 || k->as<int64_t>().size() != 1)
    return call.refuse("input 1 (k) must be one int64 number");
  return k->as<int64_t>()[0];
}

} // namespace

Result<HostResult> runTopK(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  const auto rank = static_cast<int64_t>(input->rank());
  TILERIG_TRY(int64_t axis, call.integer("axis", -1));
  TILERIG_TRY(const int64_t k, howMany(call));
  TILERIG_TRY(const int64_t largest, call.integer("largest", 1));
  if (axis < -rank || axis >= rank)
    return call.refuse(fmt::format("axis {} is out of range for input rank {}", axis, rank));
  axis += axis < 0 ? rank : 0;
  Shape shape = input->shape();
  const int64_t length = shape[axis];
  if (k < 0 || k > length)
    return call.refuse(fmt::format("k is {}, but the axis has {} elements", k, length));
  shape[axis] = k;
  TILERIG_TRY(Tensor values, Tensor::make(input->dtype(), shape));
  TILERIG_TRY(Tensor indices, Tensor::make(DType::i64, shape));
  const int64_t inner = std::accumulate(shape.begin() + axis + 1, shape.end(), int64_t{1}, std::multiplies());
  const int64_t outer = std::accumulate(shape.begin(), shape.begin() + axis, int64_t{1}, std::multiplies());
  return dispatch(input->dtype(), [&]<class T>() -> Result<HostResult> {
    if constexpr (!std::is_arithmetic_v<T> || std::is_same_v<T, bool>) {
      return call.refuse(fmt::format("elements of type {} have no order", nameOf(input->dtype())));
    } else {
      const auto from = input->as<T>();
      const auto to = values.mutableAs<T>();
      const auto at = indices.mutableAs<int64_t>();
      std::vector<int64_t> best(static_cast<size_t>(k));
      for (int64_t row = 0; row < outer * inner; ++row) {
        const int64_t first = row / inner * length * inner + row % inner,
                      result = row / inner * k * inner + row % inner;
        selectRow(from, first, inner, length, largest != 0, std::span(best));
        for (int64_t i = 0; i < k; ++i) {
          at[result + i * inner] = best[i];
          to[result + i * inner] = from[first + best[i] * inner];
        }
      }
      return HostResult{std::vector{std::move(values), std::move(indices)}};
    }
  });
}

} // namespace tilerig::emulator
