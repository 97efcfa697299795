// Between ONNX's ways to resize an axis and the one that the machine has: output o lies at input position
// (o * numerator + offset) / denominator, and "nearest" takes its floor.
#pragma once

#include "compiler/Dialect/Graph/Graph.h"

#include <array>
#include <optional>

namespace tilerig::layer {

struct AxisPositions {
  int64_t numerator = 0, denominator = 1, offset = 0;

  bool operator==(const AxisPositions &) const = default;
};

struct AxisResize {
  graph::Coordinates coordinates = graph::Coordinates::half_pixel;
  std::optional<graph::NearestMode> nearest; // where elements are picked
  int64_t from = 1, to = 1;
  std::optional<float> scale; // else from the sizes
};

// None where coordinates are not of that form, or the numbers are too large.
std::optional<AxisPositions> positionsOf(const AxisResize &axis);
// A way to say the same, for both axes of an image alike; none if ONNX has none.
std::optional<std::array<AxisResize, 2>> resizeOf(std::array<AxisPositions, 2> positions, bool isNearest,
                                                  std::array<int64_t, 2> from, std::array<int64_t, 2> to);

} // namespace tilerig::layer
