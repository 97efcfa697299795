// Resampling along one axis: which input elements each output element combines, and with what weights.
//
// The nearest element is found with coordinates in float32, computed operation by operation as the ONNX
// specification writes them, so that ties are decided as in common runtimes. Interpolation weights come from
// coordinates in double.
//
// The machine's arithmetic computes positions as exact fractions, and weights in float32.
//
// If a scale makes the output length fractional, align_corners uses the fractional length, as the test data
// of ONNX do; the other modes use the length of the tensor.
#pragma once

#include "reference/Run/Operator.h"

#include <span>

namespace tilerig::reference {

enum class CoordinateMode {
  halfPixel,
  halfPixelSymmetric,
  pytorchHalfPixel,
  alignCorners,
  asymmetric,
  tfHalfPixelForNearest,
  tfCropAndResize,
};

enum class NearestMode {
  roundPreferFloor,
  roundPreferCeil,
  floor,
  ceil,
  // How coordinates are rounded before opset 11: down when enlarging, up when shrinking.
  simple,
};

// Parameters of a resize node that hold for all axes.
struct ResizeRule {
  enum class Kind { nearest, linear, cubic } kind = Kind::nearest;
  CoordinateMode coordinates = CoordinateMode::halfPixel;
  NearestMode nearest = NearestMode::roundPreferFloor;
  float cubicCoefficient = -0.75f;
  bool excludeOutside = false; // elements outside the input have weight 0, and do not repeat the border
  bool antialias = false;      // when an axis shrinks, the filter is widened by 1 / scale
  float extrapolation = 0;     // value of elements outside the input when cropping
  bool machine = false;        // whether the formulas of isa/Numerics/README.md are used
};

struct ResizeAxis {
  int64_t in, out;
  double scale;             // scale of the axis: out / in, or as given by the node
  float length;             // output length before it is rounded to the integer `out`: scale * in
  float begin = 0, end = 1; // region to crop, as fractions of the axis
};

// The input elements that each output element along an axis combines: `taps` elements, all inside the axis.
struct AxisTaps {
  int64_t taps = 1;
  std::vector<int64_t> places; // indices of the input elements: `taps` for each output
  std::vector<double> weights; // weight of each element in `places`; empty if elements are only copied
  std::vector<bool> outside;   // whether each output is extrapolated; empty if none is
  bool machine = false;        // whether elements are combined by fused multiply-adds
};

// Computes the taps of an axis. The axis must not be empty, and its lengths must be exact in float32.
AxisTaps tapsOf(const ResizeRule &rule, const ResizeAxis &axis);

// Resizes input 0 to output 0, one axis after the other. Floats keep their type
// between the axes. Integers are interpolated in double; the result is truncated towards zero and clamped to
// the range of the type, as a cast would do.
Status resample(OpContext &context, ResizeRule rule, std::span<const ResizeAxis> axes);

} // namespace tilerig::reference
