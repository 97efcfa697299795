// How the elements of one axis are made from those of another: which are taken, and with what weights.
//
// Where the nearest element is taken, coordinates are formed in float32, operation by operation as the
// specification writes them: ties and near ties then go as they go in the runtimes in use. For weights they
// are formed in double.
//
// The machine counts positions in fractions of an element, exactly, and its weights are of float32.
//
// Of a length that a scale makes fractional, align_corners takes the fraction, as the test data of ONNX do
// (and ONNX Runtime does not); the other modes take the length of the tensor.
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
  // Before version 11: down for a larger axis, up for a smaller one.
  simple,
};

// What a node says of all axes.
struct ResizeRule {
  enum class Kind { nearest, linear, cubic } kind = Kind::nearest;
  CoordinateMode coordinates = CoordinateMode::halfPixel;
  NearestMode nearest = NearestMode::roundPreferFloor;
  float cubicCoefficient = -0.75f;
  bool excludeOutside = false; // elements outside have no weight, instead of being the nearest one inside
  bool antialias = false;      // weights of a smaller axis reach as far as its steps
  float extrapolation = 0;     // what is outside when cropping
  bool machine = false;        // by the formulas of the page isa/Numerics/README.md
};

struct ResizeAxis {
  int64_t in, out;
  double scale;             // out / in, or what the node says
  float length;             // scale * in, of which `out` may be the part before the point
  float begin = 0, end = 1; // region to crop, in lengths of the axis
};

// Every output takes `taps` elements; all places are inside the axis.
struct AxisTaps {
  int64_t taps = 1;
  std::vector<int64_t> places; // taps for each output
  std::vector<double> weights; // for each of them; none where elements are taken as they are
  std::vector<bool> outside;   // outputs that are extrapolated; none if no output is
  bool machine = false;        // combined by fused multiply-adds
};

// `axis` has elements, and lengths that float32 counts exactly.
AxisTaps tapsOf(const ResizeRule &rule, const ResizeAxis &axis);

// Makes output 0 of input 0, which has these axes. Floats keep their type between the axes. Integers are
// interpolated in double, and the result is cut off towards zero and kept inside the type, as a cast would.
Status resample(OpContext &context, ResizeRule rule, std::span<const ResizeAxis> axes);

} // namespace tilerig::reference
