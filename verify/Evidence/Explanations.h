// Hypotheses about what made a tensor wrong. They are tested by recomputing its wrong elements; an
// explanation states which of these elements its hypothesis explains.
//
// For a sum of products with known operands, the hypotheses are the families of changes in
// Replays/Families.h. For any tensor, they are changes of the right values: an offset or factor for a
// channel, values of other elements, zeros, one value for all elements. A hypothesis counts only if it
// explains most of the wrong elements in a channel, row, column or tile, because single elements may agree by
// chance.
#pragma once

#include "verify/Evidence/Circumstances.h"
#include "verify/Evidence/Features.h"
#include "verify/Evidence/WrongElements.h"

#include <vector>

namespace tilerig::verify {

struct Explanation {
  Feature feature; // the hypothesis about the cause of the errors, named by the feature that measures it
  std::vector<Fit> fits; // for each tested wrong element, how well the hypothesis explains it
};

// Returns the hypotheses that explain at least one of the wrong elements.
std::vector<Explanation> findExplanations(const WrongElements &wrong, const Circumstances &known);

struct ReplayedHypotheses {
  WrongElements wrong;
  std::vector<Explanation> explanations;

  // The share of the tested wrong elements that the explanation explains. If very many elements are wrong,
  // only every n-th is tested.
  double shareOf(const Explanation &explanation) const;
};
// Tests the hypotheses about the cause of the errors on a pair of tensors that were compared.
Result<ReplayedHypotheses> replayHypotheses(const TensorStream &reference, const TensorStream &target,
                                            const Comparison &comparison, const Circumstances &known);

} // namespace tilerig::verify
