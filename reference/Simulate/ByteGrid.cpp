#include "reference/Simulate/ByteGrid.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilerig::reference {

namespace {

constexpr int lowest = -128, highest = 127, highestWeight = 127;

// How an axis divides a tensor into `slices` slices: each slice consists of runs of `inner` consecutive
// elements, and its runs start `slices * inner` elements apart.
struct Slices {
  size_t slices = 1, inner = 1;

  Slices(const Shape &shape, int axis) {
    if (shape.size() < 2)
      return;
    const auto index = static_cast<size_t>(axis < 0 ? axis + static_cast<int>(shape.size()) : axis);
    slices = static_cast<size_t>(shape[index]);
    for (size_t i = index + 1; i < shape.size(); ++i)
      inner *= static_cast<size_t>(shape[i]);
  }
  size_t of(size_t element) const { return slices == 1 ? 0 : element / inner % slices; }
};

} // namespace

ByteGrid ByteGrid::over(double low, double high) {
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
  if (low == high)
    return {};
  const double scale = (high - low) / (highest - lowest);
  return {scale, std::clamp(static_cast<int>(std::nearbyint(lowest - low / scale)), lowest, highest)};
}

float ByteGrid::nearest(float value) const {
  if (std::isnan(value))
    return 0;
  const double steps = std::nearbyint(value / scale) + zeroPoint;
  return static_cast<float>((std::clamp<double>(steps, lowest, highest) - zeroPoint) * scale);
}

Tensor roundedTo(const ByteGrid &grid, Tensor tensor) {
  for (float &element : tensor.mutableAs<float>())
    element = grid.nearest(element);
  return tensor;
}

Tensor roundedWeights(Tensor tensor, int axis) {
  const Slices slices(tensor.shape(), axis);
  std::vector<double> scales(slices.slices);
  auto elements = tensor.mutableAs<float>();
  for (size_t i = 0; i < elements.size(); ++i)
    if (std::isfinite(elements[i])) {
      double &scale = scales[slices.of(i)];
      scale = std::max(scale, std::fabs(double{elements[i]}) / highestWeight);
    }
  for (size_t i = 0; i < elements.size(); ++i) {
    const double scale = scales[slices.of(i)];
    if (scale > 0)
      elements[i] = static_cast<float>(std::nearbyint(elements[i] / scale) * scale);
  }
  return tensor;
}

} // namespace tilerig::reference
