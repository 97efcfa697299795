// The values that 8 bits can hold: 256 even steps with zero among them, for activations, and 255 about zero
// for weights.
#pragma once

#include "isa/Tensor/Tensor.h"

namespace tilerig::reference {

struct ByteGrid {
  double scale = 1; // of a step
  int zeroPoint = 0;

  // From the smaller of `low` and 0 to the larger of `high` and 0, as finely as 8 bits allow.
  static ByteGrid over(double low, double high);
  // The nearest value of the grid, half to even; its ends for what lies outside, zero for NaN.
  float nearest(float value) const;
};

// A float32 tensor on the grid.
Tensor roundedTo(const ByteGrid &grid, Tensor tensor);
// A float32 tensor of weights, each slice of the axis in steps of 1/127 of its largest magnitude. A negative
// axis counts from behind; a tensor of fewer than two axes has one step size.
Tensor roundedWeights(Tensor tensor, int axis);

} // namespace tilerig::reference
