// What storing a real in a type may do to it, and reals of stored tensors: for bounds that are derived, not
// measured.
#pragma once

#include "compiler/Driver/DescribedLayer.h"
#include "isa/Tensor/Tensor.h"

namespace tilerig::verify {

inline constexpr double halfUlpOfFloat = 0x1p-24; // of 1
inline constexpr double leastFloat = 0x1p-149;
inline constexpr double overflowOfFloat = 0x1.ffffffp127; // rounds to infinity, as all that is larger

// The most by which a real differs from what is stored of it; nothing where a type holds no reals. Of
// integers with a scale for each channel: of that one.
double halfStep(const LayerElement &element, double real, size_t channel = 0);

// The least and the largest real of a type that has bounds: integers with a scale, and what floats round to
// infinity at.
struct Range {
  double low, high;
  // NaN lands on the zero point, which stands for 0.
  double bounded(double real) const {
    return real < low ? low : real > high ? high : real == real ? real : 0;
  }
};
std::optional<Range> integerRange(const LayerElement &element);
double overflowOf(const LayerElement &element);

// float64, whatever it was. Complex numbers have no such form.
Tensor asDoubles(const Tensor &tensor);
// What stored elements stand for, as the machine computes it: in the layer's order of axes.
Tensor realsOf(const Tensor &stored, const LayerElement &element);
// The index along the type's axis of an element of a shape.
size_t channelOf(const LayerElement &element, const Shape &shape, size_t index);

// From the order in which a model has a tensor to that of its layer, and back: axis i of the one is axis
// order[i] of the other.
Result<Tensor> inLayerOrder(const Tensor &tensor, const std::vector<size_t> &order);
Result<Tensor> inModelOrder(const Tensor &tensor, const std::vector<size_t> &order);

} // namespace tilerig::verify
