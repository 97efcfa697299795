#include "verify/Verdict/ExactEvidence.h"

#include "verify/Evidence/Spreads.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilerig::verify {

namespace {

// A hypothesis decides the verdict only if it explains at least this share of the wrong elements, and if
// enough elements are wrong.
constexpr double leastShareExplained = 0.95;
constexpr size_t fewestWrong = 16;
// Total probability of all other classes of bugs, if a hypothesis points to some classes.
constexpr float shareOfOthers = 0.001F;
// The classes to which a hypothesis points are ordered by frequency. The weight of a class is this fraction
// of the weight of the class before it.
constexpr float perRank = 1.0F / 32;

// The hypotheses that point to the cause of the error. Other hypotheses, such as zeros, are compatible with
// nearly any cause.
constexpr Feature tellingHypotheses[] = {
    Feature::replayShiftedInput, Feature::borderDifferent, Feature::byChannelOffset, Feature::otherChannels,
    Feature::transposed,         Feature::channelsLast,    Feature::powerGains,
};

// Whether a hypothesis predicts no value for an element, but only states a property: the element has the
// smallest or largest value of the tensor, lies at the border of the image, or is one quantisation step off.
bool givesNoValues(Feature hypothesis) {
  constexpr Feature all[] = {Feature::referencesAtRail,  Feature::targetsAtRail, Feature::borderDifferent,
                             Feature::channelsDifferent, Feature::smallSteps,    Feature::varying};
  return std::ranges::find(all, hypothesis) != std::end(all);
}

// The largest share of the tensor's wrong elements that one of the explanations by this hypothesis covers.
double shareOf(const ReplayedHypotheses &hypotheses, Feature feature) {
  double most = 0;
  for (const Explanation &explanation : hypotheses.explanations)
    if (explanation.feature == feature)
      most = std::max(most, hypotheses.shareOf(explanation));
  return most;
}

// Whether errors at the border of the image may be due to padding: they extend along a whole side of the
// image, and their values are not zeros, not all the same, and not those of other positions.
bool mayBePadding(const ReplayedHypotheses &hypotheses) {
  constexpr double wholeSide = 0.9;
  const Spreads spreads = spreadsOf(hypotheses.wrong);
  const bool isOtherwise = std::ranges::any_of(
      std::array{Feature::zeroTargets, Feature::commonTarget, Feature::bestLag},
      [&](Feature feature) { return shareOf(hypotheses, feature) >= leastShareExplained; });
  return std::max(spreads.wrongRows, spreads.wrongColumns) >= wholeSide && !isOtherwise;
}

// If the answer is "cannot say" and no class has a probability above one half, removes the probabilities, so
// that no class ranks first.
Verdict withoutTheUnlikely(const Verdict &verdict) {
  constexpr float asLikelyAsNot = 0.5F;
  const bool isLikely = std::ranges::max(verdict.probabilities) > asLikelyAsNot;
  return verdict.answer != Answer::cannotSay || isLikely ? verdict : cannotSay(verdict.reason);
}

// Raises the probabilities of the bug classes to which a hypothesis points, and lowers those of all other
// classes. The given classes are ordered by frequency, the most frequent cause first.
Probabilities preferClasses(const Probabilities &probabilities, std::span<const BugClass> classes) {
  Probabilities preferred{};
  float sum = 0, usual = 1;
  for (const BugClass bugClass : classes) {
    float &share = preferred[static_cast<size_t>(bugClass)];
    share = probabilities[static_cast<size_t>(bugClass)] / 2 + usual;
    sum += share;
    usual *= perRank;
  }
  float others = 0;
  for (size_t i = 0; i < numBugClasses; ++i)
    others += preferred[i] > 0 ? 0 : probabilities[i];
  for (size_t i = 0; i < numBugClasses; ++i)
    preferred[i] = preferred[i] > 0 ? (1 - shareOfOthers) * preferred[i] / sum
                   : others > 0     ? shareOfOthers * probabilities[i] / others
                                    : shareOfOthers / static_cast<float>(numBugClasses - classes.size());
  return preferred;
}

} // namespace

std::optional<Feature> exactHypothesis(const ReplayedHypotheses &hypotheses) {
  if (hypotheses.wrong.elements.size() < fewestWrong)
    return {};
  for (const Feature feature : tellingHypotheses)
    if (shareOf(hypotheses, feature) >= leastShareExplained &&
        (feature != Feature::borderDifferent || mayBePadding(hypotheses)))
      return feature;
  if (shareInReplacedChannels(hypotheses.wrong) >= leastShareExplained)
    return Feature::channelsDifferent;
  return {};
}

bool resemblesNothing(const Features &features, const ReplayedHypotheses &hypotheses) {
  constexpr double whole = 0.9, leastWrong = 0.3, mostExplained = 0.5, mostByFunction = 0.9;
  const WrongElements &wrong = hypotheses.wrong;
  const Spreads spreads = spreadsOf(wrong);
  const bool isEverywhere =
      spreads.wrongChannels >= whole && spreads.wrongRows >= whole && spreads.wrongColumns >= whole &&
      static_cast<double>(wrong.count) >= leastWrong * static_cast<double>(wrong.reference.size());
  const bool isExplained = std::ranges::any_of(hypotheses.explanations, [&](const Explanation &explanation) {
    return hypotheses.shareOf(explanation) >= mostExplained && !givesNoValues(explanation.feature);
  });
  // Whether the target is a function of the reference, such as a linear one. The cause is then a scale, a
  // table or a type.
  const bool isFunction = std::ranges::any_of(
      std::array{Feature::byValue, Feature::byChannelGain, Feature::innerChannelGain},
      [&](Feature feature) { return features[static_cast<size_t>(feature)] >= mostByFunction; });
  return isEverywhere && !isExplained && !isFunction;
}

std::optional<BugClass> likelyFromSpreads(const WrongElements &wrong) {
  constexpr double displaced = 0.25, timesMore = 2, changed = 0.2, agreed = 0.5;
  const Spreads spreads = spreadsOf(wrong);
  const auto [less, more] =
      std::minmax(spreads.downwards, spreads.rightwards, [](const Estimate &a, const Estimate &b) {
        return std::fabs(a.value) < std::fabs(b.value);
      });
  if (more.isSignificant() && std::fabs(more.value) >= displaced &&
      std::fabs(more.value) >= timesMore * std::fabs(less.value))
    return BugClass::padding;
  return spreads.change >= changed && spreads.agreement >= agreed
             ? std::optional(BugClass::coefficientLoading)
             : std::nullopt;
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

Scores preferHypothesis(const Scores &scores, Feature hypothesis) {
  Scores preferred = {preferClasses(scores.probabilities, classesOf(hypothesis)),
                      std::min(scores.unknown, shareOfOthers)};
  if (!givesNoValues(hypothesis))
    return preferred;
  preferred.unknown = scores.unknown;
  const float right = scores.probabilities[static_cast<size_t>(BugClass::noError)] +
                      scores.probabilities[static_cast<size_t>(BugClass::rounding)];
  for (float &probability : preferred.probabilities)
    probability *= 1 - right;
  preferred.probabilities[static_cast<size_t>(BugClass::noError)] += right;
  return preferred;
}

Verdict decideOnDumps(const Scores &scores, const Features &features, const ReplayedHypotheses &hypotheses) {
  if (const std::optional<Feature> hypothesis = exactHypothesis(hypotheses))
    return decide(preferHypothesis(scores, *hypothesis), features);
  const Verdict verdict = decide(scores, features);
  const bool isRight = verdict.answer == Answer::named && verdict.bugClass == BugClass::noError;
  const bool isSurelyWrong = features[static_cast<size_t>(Feature::oracleKnown)] != 0;
  if (isRight || isSurelyWrong)
    return verdict;
  if (!resemblesNothing(features, hypotheses))
    return withoutTheUnlikely(verdict);
  if (const std::optional<BugClass> likely = likelyFromSpreads(hypotheses.wrong))
    return decide(putFirst(scores, *likely), features);
  return cannotSay(
      "the whole tensor is wrong and resembles no variation of the reference, so the values alone do not "
      "show which operand was wrong");
}

} // namespace tilerig::verify
