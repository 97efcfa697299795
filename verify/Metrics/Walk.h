// Visits the elements of two compared tensors one by one, with the judgement of each (such as passed or
// failed). Meant for files and pictures of elements, where speed does not matter.
#pragma once

#include "verify/Metrics/Chunks.h"

namespace tilerig::verify {

inline Rule ruleOf(const Comparison &comparison) {
  return ruleFor(comparison.limits, comparison.anchor, comparison.largestTarget);
}

// Calls visit(chunk, place, reference, target, judgement) for each element of a pair of tensors that were
// compared. `place` is the index of the element in the chunk, which holds the elements as stored.
template <class Visit>
Status walkChunks(const TensorStream &reference, const TensorStream &target, const Comparison &comparison,
                  Visit visit) {
  const Rule rule = ruleOf(comparison);
  WidePair wide;
  return forEachChunk(reference, target, 1, [&](const PairChunk &chunk, unsigned) {
    for (size_t begin = 0; begin < chunk.count; begin += WidePair::most) {
      const size_t count = std::min(WidePair::most, chunk.count - begin);
      widenPair(chunk.pair, begin, count, wide);
      for (size_t i = 0; i < count; ++i)
        visit(chunk, begin + i, wide.reference[i], wide.target[i],
              judge(wide.reference[i], wide.target[i], wide.difference[i], rule));
    }
  });
}

// Calls visit(index, reference, target, judgement) for each element of a pair of tensors that were compared.
template <class Visit>
Status walkElements(const TensorStream &reference, const TensorStream &target, const Comparison &comparison,
                    Visit visit) {
  return walkChunks(reference, target, comparison,
                    [&](const PairChunk &chunk, size_t place, double r, double t, const Judgement &judged) {
                      visit(chunk.begin + place, r, t, judged);
                    });
}

} // namespace tilerig::verify
