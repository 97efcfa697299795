// Common part of the normalisations by mean and variance.
//
// Statistics are computed in double (Moments.h) and rounded once to the type of the tensor; each element then
// becomes (x - mean) * factor + bias in that type.
#pragma once

#include "reference/Functions/Functions.h"
#include "reference/Ops/Floating.h"
#include "reference/Ops/Moments.h"

#include <algorithm>

namespace tilerig::reference {

// The elements of input `index` as doubles; an error if the input does not have the shape `shape`.
inline Result<std::vector<double>> parameters(const OpContext &context, size_t index, const Shape &shape) {
  if (context.input(index).shape() != shape)
    return context.invalid(fmt::format("input {} has shape {}, expected {}", index,
                                       showShape(context.input(index).shape()), showShape(shape)));
  return floatsAs<double>(context, context.input(index));
}

// Normalises `size` consecutive elements: y = (x - mean) * factor + bias; y may be x.
template <class T>
void normaliseRun(const T *x, int64_t size, double mean, double factor, double bias, T *y) {
  if constexpr (std::is_same_v<T, float>)
    reference::normaliseRun(x, size, static_cast<float>(mean), static_cast<float>(factor),
                            static_cast<float>(bias), y);
  else
    for (int64_t i = 0; i < size; ++i)
      y[i] = (x[i] - mean) * factor + bias;
}

// If input 0 has no elements, makes it the output and returns true. Loops over its other axes, which can be
// very long, are thus avoided.
inline bool passesEmpty(OpContext &context) {
  if (context.input(0).elementCount())
    return false;
  context.outputs[0] = context.take(0);
  return true;
}

// Minimum number of runs per piece of a parallel loop over runs of `size` elements.
inline int64_t grainOf(int64_t size) {
  constexpr int64_t grain = 1 << 13;
  return std::max<int64_t>(1, grain / std::max<int64_t>(1, size));
}

} // namespace tilerig::reference
