// Hypotheses about what made a tensor wrong, replayed on its wrong elements: which of them does each explain?
//
// Of a sum of products with known operands, families of MeasureReplays.h. Of any tensor, what may have
// happened to the values that were due: an offset or a factor for a channel, values of other places, zeros,
// one value for all. A hypothesis counts where it explains most of what is wrong in a channel, a row, a
// column or a tile: single elements agree by chance.
#pragma once

#include "verify/Evidence/Circumstances.h"
#include "verify/Evidence/Facts.h"
#include "verify/Evidence/WrongElements.h"

#include <vector>

namespace tilerig::verify {

struct Explanation {
  Fact fact;             // the hypothesis, by the fact that measures it
  std::vector<Fit> fits; // of the wrong elements that are kept, in their order
};

// Those that explain any element.
std::vector<Explanation> findExplanations(const WrongElements &wrong, const Circumstances &known);

struct ReplayedHypotheses {
  WrongElements wrong;
  std::vector<Explanation> explanations;

  // The share of the kept elements that one explains.
  double shareOf(const Explanation &explanation) const;
};
// Of tensors that were compared.
Result<ReplayedHypotheses> replayHypotheses(const TensorStream &reference, const TensorStream &target,
                                            const Comparison &comparison, const Circumstances &known);

} // namespace tilerig::verify
