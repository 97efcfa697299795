// Converts between ONNX's resize modes and the machine's: output o reads from the input position (o *
// numerator + offset) / denominator; mode "nearest" takes the floor of that position.
#pragma once

#include "compiler/Graph/IR/Graph.h"

#include <array>
#include <optional>

namespace tilerig::compiler::layer {

struct AxisPositions {
  int64_t numerator = 0, denominator = 1, offset = 0;

  bool operator==(const AxisPositions &) const = default;
};

struct AxisResize {
  graph::Coordinates coordinates = graph::Coordinates::half_pixel;
  std::optional<graph::NearestMode> nearest; // how positions are rounded; only in mode "nearest"
  int64_t from = 1, to = 1;
  std::optional<float> scale; // ratio of output size to input size; if empty, computed from the sizes
};

// The numerator, denominator and offset with which the machine computes the positions along an axis; empty if
// ONNX's coordinates do not have this form or the numbers are too large.
std::optional<AxisPositions> positionsOf(const AxisResize &axis);
// The attributes of an ONNX resize with these positions, for both axes of an image, in one common mode; empty
// if no ONNX resize has these positions.
std::optional<std::array<AxisResize, 2>> resizeOf(std::array<AxisPositions, 2> positions, bool isNearest,
                                                  std::array<int64_t, 2> from, std::array<int64_t, 2> to);

} // namespace tilerig::compiler::layer
