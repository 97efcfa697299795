#include "verify/Evidence/Explanations.h"

#include "verify/Evidence/Confirm.h"
#include "verify/Evidence/ExplainByValues.h"
#include "verify/Evidence/MeasureReplays.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

size_t countExplained(const Explanation &explanation) {
  return static_cast<size_t>(
      std::ranges::count_if(explanation.fits, [](Fit fit) { return fit != Fit::none; }));
}

} // namespace

std::vector<Explanation> findExplanations(const WrongElements &wrong, const Circumstances &known) {
  if (wrong.elements.empty())
    return {};
  std::vector<Explanation> all = replayWrongElements(wrong, known);
  std::ranges::move(explainByValues(wrong, known), std::back_inserter(all));
  const Place place(wrong.shape, wrong.reference.size(), {});
  confirm(all, wrong, place, known);
  std::erase_if(all, [](const Explanation &explanation) { return countExplained(explanation) == 0; });
  return all;
}

double ReplayedHypotheses::shareOf(const Explanation &explanation) const {
  const size_t explained = countExplained(explanation);
  return explained ? static_cast<double>(explained) / static_cast<double>(wrong.elements.size()) : 0;
}

Result<ReplayedHypotheses> replayHypotheses(const TensorStream &reference, const TensorStream &target,
                                            const Comparison &comparison, const Circumstances &known) {
  ReplayedHypotheses replayed;
  TILERIG_TRY(replayed.wrong, findWrongElements(reference, target, comparison, known.isOracle));
  replayed.explanations = findExplanations(replayed.wrong, known);
  return replayed;
}

} // namespace tilerig::verify
