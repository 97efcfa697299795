// Rounding errors of stored types, and conversion of stored tensors to real numbers, for error bounds that
// are derived rather than measured.
#pragma once

#include "compiler/Pipelines/DescribedLayer.h"
#include "isa/Base/Tensor/Tensor.h"

#include <cmath>
#include <span>
#include <vector>

namespace tilerig::verify {

inline constexpr double halfUlpOfFloat = 0x1p-24; // half a unit in the last place of 1 in fp32
inline constexpr double leastFloat = 0x1p-149;
// Magnitude from which numbers are rounded to infinity in fp32.
inline constexpr double overflowOfFloat = 0x1.ffffffp127;

// Largest difference between a real number and its stored value, for one stored type; 0 for types that hold no
// real numbers. For integers with a scale per channel, uses the scale of `channel`. The type must outlive the
// object.
class HalfStep {
public:
  explicit HalfStep(const compiler::LayerElement &element);
  double operator()(double real, size_t channel = 0) const {
    return scales.empty() ? share * std::fabs(real) + least : scales[scales.size() == 1 ? 0 : channel] / 2;
  }

private:
  std::span<const double> scales; // of an integer type
  double share = 0, least = 0;    // of a float type
};

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

// Visits all elements of a tensor of the given shape, in order, as ranges of elements that lie side by side in one
// channel, that is, with the same index along the type's channel axis: visit(begin, end, channel). A type without
// this axis has only channel 0.
template <class Visit>
void forEachChannel(const compiler::LayerElement &element, const Shape &shape, Visit visit) {
  size_t channels = 1, behind = 1, ahead = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto size = static_cast<size_t>(shape[i]);
    if (static_cast<int64_t>(i) == element.axis)
      channels = size;
    else
      (element.axis < 0 || static_cast<int64_t>(i) > element.axis ? behind : ahead) *= size;
  }
  for (size_t i = 0; i < ahead * channels; ++i)
    visit(i * behind, (i + 1) * behind, i % channels);
}

// Transposes a tensor from the model's order of axes to the layer's, and back. Axis i in the model's order is
// axis order[i] in the layer's.
Result<Tensor> inLayerOrder(const Tensor &tensor, const std::vector<size_t> &order);
Result<Tensor> inModelOrder(const Tensor &tensor, const std::vector<size_t> &order);

} // namespace tilerig::verify
