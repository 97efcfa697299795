// Divides the axes of a shape into those along which an operator works and those before and behind them.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <span>

namespace tilerig::reference {

inline int64_t product(std::span<const int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

// A shape viewed as outer × size × inner around one axis.
struct AxisSplit {
  int64_t outer, size, inner;
  AxisSplit(const Shape &shape, size_t axis)
      : outer(product(std::span(shape).first(axis))), size(shape[axis]),
        inner(product(std::span(shape).subspan(axis + 1))) {}
};

// A shape viewed as kept × reduced × inner elements, for operators that reduce some axes: `inner` are the
// axes after the last reduced axis, `kept` the unreduced axes before it. Offsets are in elements.
class ReductionShape {
public:
  ReductionShape(const Shape &shape, const std::vector<bool> &isReduced)
      : shape(shape), isReduced(isReduced) {
    size_t lastReduced = shape.size();
    while (lastReduced > 0 && !isReduced[lastReduced - 1])
      --lastReduced;
    int64_t stride = 1;
    for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
      if (d >= lastReduced)
        inner *= shape[d];
      else if (isReduced[d])
        add(reducedAxes, reduced, shape[d], stride);
      else
        add(keptAxes, kept, shape[d], stride);
  }

  int64_t kept = 1, reduced = 1, inner = 1;

  // Whether the elements that a reduction reduces to one result are contiguous, and the elements of the next
  // result follow without a gap.
  bool hasDenseRows() const {
    return inner == 1 && (reducedAxes.empty() || (reducedAxes.size() == 1 && reducedAxes[0].stride == 1)) &&
           (keptAxes.empty() || (keptAxes.size() == 1 && keptAxes[0].stride == reduced));
  }

  // keptOffset() numbers the combinations of indices along the kept axes in row-major order, and returns the
  // offset of combination `index`; reducedOffset() does the same for the reduced axes.
  int64_t keptOffset(int64_t index) const { return offset(keptAxes, index); }
  int64_t reducedOffset(int64_t index) const { return offset(reducedAxes, index); }

  Shape outputShape(bool keepDims) const {
    Shape result;
    for (size_t d = 0; d < shape.size(); ++d)
      if (!isReduced[d])
        result.push_back(shape[d]);
      else if (keepDims)
        result.push_back(1);
    return result;
  }

private:
  struct Axis {
    int64_t size, stride;
  };
  // Adds an axis to a list that is built from the innermost axis outwards. An axis that is contiguous with
  // its inner neighbour is merged with it.
  static void add(std::vector<Axis> &axes, int64_t &total, int64_t size, int64_t stride) {
    total *= size;
    if (!axes.empty() && stride == axes.back().stride * axes.back().size)
      axes.back().size *= size;
    else
      axes.push_back({size, stride});
  }
  static int64_t offset(const std::vector<Axis> &axes, int64_t index) {
    int64_t result = 0;
    for (const Axis &axis : axes) {
      result += index % axis.size * axis.stride;
      index /= axis.size;
    }
    return result;
  }

  Shape shape;
  std::vector<bool> isReduced;
  std::vector<Axis> keptAxes, reducedAxes;
};

} // namespace tilerig::reference
