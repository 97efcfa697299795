// One element after the other, with the verdict on each: for files and pictures of elements, which need no
// speed.
#pragma once

#include "verify/Metrics/Kernels.h"

namespace tilerig::verify {

inline Rule ruleOf(const Comparison &comparison) {
  return ruleFor(comparison.limits, comparison.anchor, comparison.largestTarget);
}

// Calls visit(index, reference, target, judgement) for the elements of tensors that were compared.
template <class Visit>
void walkElements(const Tensor &reference, const Tensor &target, const Comparison &comparison, Visit visit) {
  const TensorPair pair = pairOf(reference, target);
  const Rule rule = ruleOf(comparison);
  WidePair wide;
  for (size_t begin = 0; begin < comparison.elements; begin += WidePair::most) {
    const size_t count = std::min(WidePair::most, comparison.elements - begin);
    widenPair(pair, begin, count, wide);
    for (size_t i = 0; i < count; ++i)
      visit(begin + i, wide.reference[i], wide.target[i],
            judge(wide.reference[i], wide.target[i], wide.difference[i], rule));
  }
}

} // namespace tilerig::verify
