// The grid of values that 8-bit quantisation can represent: 256 equally spaced values that include zero for
// activations, and 255 values that are symmetric to zero for weights.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::reference {

struct ByteGrid {
  double scale = 1; // step size
  int zeroPoint = 0;

  // The grid of 256 values, one of them zero, with the smallest step that spans min(low, 0) to max(high, 0).
  static ByteGrid over(double low, double high);
  // Rounds to the nearest value that the 8-bit quantisation can represent, half to even; values outside its
  // range are clamped, and NaN becomes zero.
  float nearest(float value) const;
};

// Rounds every element of a float32 tensor to the nearest value that an 8-bit quantisation can represent.
Tensor roundedTo(const ByteGrid &grid, Tensor tensor);
// Rounds a float32 tensor of weights; each slice along the axis has steps of 1/127 of its largest magnitude.
// A negative axis counts from the end; a tensor of fewer than two axes has a single step size.
Tensor roundedWeights(Tensor tensor, int axis);

} // namespace tilerig::reference
