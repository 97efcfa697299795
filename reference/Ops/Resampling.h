// Resampling along one axis: which input elements each output element combines, and with what weights.
//
// For the nearest element, coordinates are computed in float32, operation by operation as the ONNX
// specification writes them, so that ties and near ties are decided as in common runtimes. For interpolation
// weights they are computed in double.
//
// The machine's arithmetic computes positions exactly, in fractions of an element, with float32 weights.
//
// If a scale makes the length fractional, align_corners uses the fractional length, as the test data of ONNX
// do (ONNX Runtime does not); the other modes use the length of the tensor.
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
  // Before opset 11: floor when enlarging, ceil when shrinking.
  simple,
};

// Parameters of a resize node that hold for all axes.
struct ResizeRule {
  enum class Kind { nearest, linear, cubic } kind = Kind::nearest;
  CoordinateMode coordinates = CoordinateMode::halfPixel;
  NearestMode nearest = NearestMode::roundPreferFloor;
  float cubicCoefficient = -0.75f;
  bool excludeOutside = false; // elements outside get weight 0 instead of repeating the border element
  bool antialias = false;      // when shrinking, the filter is widened by the scale
  float extrapolation = 0;     // value of elements outside the input when cropping
  bool machine = false;        // use the formulas of the page isa/Numerics/README.md
};

struct ResizeAxis {
  int64_t in, out;
  double scale;             // out / in, or as given by the node
  float length;             // scale * in; `out` may be its integer part
  float begin = 0, end = 1; // region to crop, as fractions of the axis
};

// Each output combines `taps` elements; all places lie inside the axis.
struct AxisTaps {
  int64_t taps = 1;
  std::vector<int64_t> places; // indices of the input elements: `taps` for each output
  std::vector<double> weights; // weight for each of them; empty if elements are only copied
  std::vector<bool> outside;   // outputs that are extrapolated; empty if there are none
  bool machine = false;        // combined by fused multiply-adds
};

// `axis` is not empty, and its lengths are exact in float32.
AxisTaps tapsOf(const ResizeRule &rule, const ResizeAxis &axis);

// Computes output 0 from input 0, which has these axes. Floats keep their type between the axes. Integers are
// interpolated in double; the result is truncated towards zero and clamped to the range of the type, as a
// cast would.
Status resample(OpContext &context, ResizeRule rule, std::span<const ResizeAxis> axes);

} // namespace tilerig::reference
