#include "compiler/PassCheck/TensorDifference.h"

#include "compiler/Graph/IR/TensorAttributes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilerig::compiler {

namespace {

double distanceOf(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  const double difference = std::abs(a - b);
  return std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
}

std::optional<std::vector<double>> numbersIn(const Tensor &tensor) {
  if (auto reals = doublesIn(tensor))
    return reals;
  return dispatch(tensor.dtype(), [&]<class T>() -> std::optional<std::vector<double>> {
    if constexpr (std::is_integral_v<T>) {
      const std::span<const T> integers = tensor.as<T>();
      return std::vector<double>(integers.begin(), integers.end());
    } else {
      return {};
    }
  });
}

} // namespace

Tensor inReserved(const Tensor &tensor, const Shape &reserved) {
  const Shape &shape = tensor.shape();
  if (tensor.dtype() != DType::i64 ||
      !std::ranges::equal(shape, reserved, [](int64_t size, int64_t most) { return size <= most; }))
    return tensor;
  Tensor padded(DType::i64, reserved);
  const std::span<int64_t> elements = padded.mutableAs<int64_t>();
  std::ranges::fill(elements, -1);
  const std::span<const int64_t> from = tensor.as<int64_t>();
  for (size_t i = 0; i < from.size(); ++i) {
    size_t rest = i, place = 0, stride = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
      const auto size = static_cast<size_t>(shape[axis]);
      place += rest % size * stride;
      rest /= size;
      stride *= static_cast<size_t>(reserved[axis]);
    }
    elements[place] = from[i];
  }
  return padded;
}

TensorDifference differenceOf(const Tensor &a, const Tensor &b) {
  TensorDifference difference;
  difference.hasOtherForm = a.dtype() != b.dtype() || a.shape() != b.shape();
  if (difference.hasOtherForm)
    return difference;
  const auto left = numbersIn(a), right = numbersIn(b);
  if (!left) {
    difference.isFinite = identical(a, b);
    return difference;
  }
  for (size_t i = 0; i < left->size(); ++i) {
    const double distance = distanceOf((*left)[i], (*right)[i]);
    if (std::isfinite(distance))
      difference.largest = std::max(difference.largest, distance);
    else
      difference.isFinite = false;
  }
  return difference;
}

} // namespace tilerig::compiler
