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

// The numerator, denominator and offset with which the machine computes the input positions of a resize along
// an axis. Empty if ONNX's positions cannot be written as this fraction, or if the numbers are too large.
std::optional<AxisPositions> positionsOf(const AxisResize &axis);
// The attributes of an ONNX resize that reads from these positions along both axes of an image, in one mode
// for both axes; empty if no ONNX resize does.
std::optional<std::array<AxisResize, 2>> resizeOf(std::array<AxisPositions, 2> positions, bool isNearest,
                                                  std::array<int64_t, 2> from, std::array<int64_t, 2> to);

} // namespace tilerig::compiler::layer
