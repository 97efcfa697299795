#include "verify/Verdict/ExactEvidence.h"

#include "verify/Evidence/Spreads.h"

#include <algorithm>
#include <cmath>

namespace tilerig::verify {

namespace {

// What has to be explained, of how many elements at least.
constexpr double leastShareExplained = 0.95;
constexpr size_t fewestWrong = 16;
// What is left for classes that the hypothesis does not speak for.
constexpr float shareOfOthers = 0.001F;
// How much less usual the next class is of those that it speaks for.
constexpr float perRank = 1.0F / 32;

// Of these a class can be read; zeros, say, may have come of nearly any.
constexpr Fact tellingHypotheses[] = {
    Fact::replayShiftedInput, Fact::borderDifferent, Fact::byChannelOffset, Fact::otherChannels,
    Fact::transposed,         Fact::channelsLast,    Fact::powerGains,
};

} // namespace

std::optional<Fact> exactHypothesis(const ReplayedHypotheses &hypotheses) {
  if (hypotheses.wrong.elements.size() < fewestWrong)
    return {};
  for (const Fact fact : tellingHypotheses)
    for (const Explanation &explanation : hypotheses.explanations)
      if (explanation.fact == fact && hypotheses.shareOf(explanation) >= leastShareExplained)
        return fact;
  if (shareInWholeChannels(hypotheses.wrong) >= leastShareExplained)
    return Fact::channelsDifferent;
  return {};
}

std::optional<BugClass> likelyFromSpreads(const WrongElements &wrong) {
  constexpr double whole = 0.9, leastWrong = 0.3, changed = 0.2, displaced = 0.25, timesMore = 2;
  const Spreads spreads = spreadsOf(wrong);
  const bool isEverywhere =
      spreads.wrongChannels >= whole && spreads.wrongRows >= whole && spreads.wrongColumns >= whole &&
      static_cast<double>(wrong.count) >= leastWrong * static_cast<double>(wrong.reference.size());
  if (!isEverywhere || wrong.isEightBit)
    return {};
  const auto [less, more] = std::minmax({std::fabs(spreads.downwards), std::fabs(spreads.rightwards)});
  if (more >= displaced && more >= timesMore * less)
    return BugClass::padding;
  return spreads.change >= changed ? std::optional(BugClass::coefficientLoading) : std::nullopt;
}

Scores putFirst(Scores scores, BugClass bugClass) {
  constexpr float share = 0.5F;
  float &first = scores.probabilities[static_cast<size_t>(bugClass)];
  if (first >= share)
    return scores;
  const float others = 1 - first;
  for (float &probability : scores.probabilities)
    probability *= (1 - share) / others;
  first = share;
  return scores;
}

Scores preferHypothesis(Scores scores, Fact hypothesis) {
  const std::span<const BugClass> classes = classesOf(hypothesis);
  Probabilities preferred{};
  float sum = 0, usual = 1;
  for (const BugClass bugClass : classes) {
    float &share = preferred[static_cast<size_t>(bugClass)];
    share = scores.probabilities[static_cast<size_t>(bugClass)] / 2 + usual;
    sum += share;
    usual *= perRank;
  }
  float others = 0;
  for (size_t i = 0; i < numBugClasses; ++i)
    others += preferred[i] > 0 ? 0 : scores.probabilities[i];
  for (size_t i = 0; i < numBugClasses; ++i)
    scores.probabilities[i] = preferred[i] > 0 ? (1 - shareOfOthers) * preferred[i] / sum
                              : others > 0
                                  ? shareOfOthers * scores.probabilities[i] / others
                                  : shareOfOthers / static_cast<float>(numBugClasses - classes.size());
  scores.unknown = std::min(scores.unknown, shareOfOthers);
  return scores;
}

Verdict decideOnDumps(const Scores &scores, const Facts &facts, const ReplayedHypotheses &hypotheses) {
  if (const std::optional<Fact> hypothesis = exactHypothesis(hypotheses))
    return decide(preferHypothesis(scores, *hypothesis), facts);
  const Verdict verdict = decide(scores, facts);
  if (verdict.answer != Answer::cannotSay)
    return verdict;
  const std::optional<BugClass> likely = likelyFromSpreads(hypotheses.wrong);
  return likely ? decide(putFirst(scores, *likely), facts) : verdict;
}

} // namespace tilerig::verify
