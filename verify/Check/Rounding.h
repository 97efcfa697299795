// Rounding errors of stored types, and conversion of stored tensors to real numbers, for error bounds that
// are derived rather than measured.
#pragma once

#include "compiler/Pipelines/DescribedLayer.h"
#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::verify {

inline constexpr double halfUlpOfFloat = 0x1p-24; // half a unit in the last place of 1 in fp32
inline constexpr double leastFloat = 0x1p-149;
// Magnitude from which numbers are rounded to infinity in fp32.
inline constexpr double overflowOfFloat = 0x1.ffffffp127;

// Largest difference between a real number and its stored value; 0 for types that hold no real numbers. For
// integers with a scale per channel, uses the scale of `channel`.
double halfStep(const compiler::LayerElement &element, double real, size_t channel = 0);

// integerRange(): least and largest real number that an integer type with a scale represents; empty for other
// types. overflowOf(): magnitude from which a float type rounds to infinity.
struct Range {
  double low, high;
  // The number of the range that is nearest to `real`. NaN counts as 0, because it is stored as the zero
  // point, which represents 0.
  double bounded(double real) const {
    return real < low ? low : real > high ? high : real == real ? real : 0;
  }
};
std::optional<Range> integerRange(const compiler::LayerElement &element);
double overflowOf(const compiler::LayerElement &element);

// The tensor as float64. Complex tensors cannot be converted.
Tensor asDoubles(const Tensor &tensor);
// The real numbers that the stored elements represent, computed with the machine's rounding. The axes have
// the layer's order.
Tensor realsOf(const Tensor &stored, const compiler::LayerElement &element);
// Channel of an element: its index along the type's channel axis in a tensor of the given shape.
size_t channelOf(const compiler::LayerElement &element, const Shape &shape, size_t index);

// Transposes a tensor from the model's order of axes to the layer's, and back. Axis i in the model's order is
// axis order[i] in the layer's.
Result<Tensor> inLayerOrder(const Tensor &tensor, const std::vector<size_t> &order);
Result<Tensor> inModelOrder(const Tensor &tensor, const std::vector<size_t> &order);

} // namespace tilerig::verify
