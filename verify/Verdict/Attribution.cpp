#include "verify/Verdict/Attribution.h"

#include "verify/Verdict/Verdict.h"

#include <algorithm>
#include <map>
#include <optional>

namespace tilerig::verify {

namespace {

using enum BugClass;

constexpr size_t mostClasses = 6;
struct HypothesisRow {
  Feature hypothesis;
  // classes of bugs that the hypothesis points to, the most frequent first; noError ends the list
  std::array<BugClass, mostClasses> classes;
};
constexpr HypothesisRow hypothesisRows[] = {
    // --- Hypotheses that are tested on any tensor ---
    {Feature::byChannelOffset, {biasLoading, quantisationType}},
    {Feature::powerGains, {scaling}},
    {Feature::bestLag, {dataAccess, splitting, memoryMapping, memoryAllocation, synchronisation, hardware}},
    {Feature::transposed, {orientation}},
    {Feature::channelsLast, {orientation}},
    {Feature::otherChannels, {coefficientLoading, memoryMapping, splitting}},
    {Feature::zeroTargets,
     {hardware, memoryMapping, splitting, synchronisation, memoryAllocation, serialisation}},
    {Feature::commonTarget, {coefficientLoading, hardware, clipping, memoryMapping}},
    {Feature::byValue, {table, instructionCalls, scaling, quantisationType, rounding, overflow}},
    {Feature::referencesAtRail, {clipping, instructionCalls, overflow}},
    {Feature::targetsAtRail, {clipping, overflow}},
    {Feature::borderDifferent, {padding}},
    {Feature::halfRange, {quantisationType, hardware}},
    {Feature::negated, {instructionCalls}},
    {Feature::smallSteps, {rounding}},
    {Feature::varying, {synchronisation, serialisation, hardware}},
    // The feature channelsDifferent states that unrelated values replaced whole channels. It predicts no
    // values, so it explains no single element.
    {Feature::channelsDifferent, {coefficientLoading, hardware, memoryMapping}},
    // --- Hypotheses that are tested on sums of products with known operands ---
    {Feature::replayTurnedWeights, {orientation}},
    {Feature::replayMovedWeights, {coefficientLoading, memoryMapping}},
    {Feature::replayOtherWeights, {coefficientLoading, memoryMapping, hardware}},
    {Feature::replayExchangedWeights, {coefficientLoading, memoryMapping, hardware}},
    {Feature::replayStaleWeights, {coefficientLoading, memoryMapping, memoryAllocation, synchronisation}},
    {Feature::replayStaleBias, {biasLoading, memoryMapping, memoryAllocation, synchronisation}},
    {Feature::replayNoWeights, {coefficientLoading, memoryMapping, splitting, hardware}},
    {Feature::replayNoSum, {hardware, coefficientLoading, memoryMapping, splitting}},
    {Feature::replayNoBias, {biasLoading, memoryMapping}},
    {Feature::replayScaledBias, {biasLoading}},
    {Feature::replayOtherBias, {biasLoading, memoryMapping}},
    {Feature::replayPowerOfScale, {scaling}},
    {Feature::replayOtherScale, {scaling}},
    {Feature::replayInputType, {quantisationType}},
    {Feature::replayWeightType, {quantisationType}},
    {Feature::replayInputZero, {quantisationType}},
    {Feature::replayPaddingValue, {padding}},
    {Feature::replayShorterDepth, {splitting, coefficientLoading, memoryMapping}},
    {Feature::replayLostPart, {splitting, coefficientLoading, memoryMapping}},
    {Feature::replayDoubledPart, {splitting}},
    {Feature::replayMovedInput, {dataAccess, memoryMapping, splitting}},
    {Feature::replayLongerRows, {dataAccess}},
    {Feature::replayShiftedInput, {padding, splitting, dataAccess}},
    {Feature::replayStride, {dataAccess}},
    {Feature::replayDilation, {dataAccess}},
    {Feature::replayMorePadding, {padding}},
};

bool speaksFor(Feature hypothesis, BugClass bugClass) {
  const std::span<const BugClass> classes = classesOf(hypothesis);
  return std::ranges::find(classes, bugClass) != classes.end();
}

// Scales counts of tested elements up to all elements from which these were selected. Rounds the counts so
// that their sum is exact: those with the largest fractions are rounded up, the others down.
std::vector<uint64_t> scaled(const std::vector<uint64_t> &parts, uint64_t whole) {
  uint64_t sum = 0;
  for (const uint64_t part : parts)
    sum += part;
  std::vector<uint64_t> numbers(parts.size());
  if (sum == 0)
    return numbers;
  std::vector<std::pair<double, size_t>> remainders;
  uint64_t left = whole;
  for (size_t i = 0; i < parts.size(); ++i) {
    const double exact =
        static_cast<double>(parts[i]) / static_cast<double>(sum) * static_cast<double>(whole);
    numbers[i] = std::min(static_cast<uint64_t>(exact), left);
    left -= numbers[i];
    remainders.emplace_back(static_cast<double>(numbers[i]) - exact, i);
  }
  std::ranges::sort(remainders);
  for (size_t i = 0; left > 0; ++i, --left)
    ++numbers[remainders[i % remainders.size()].second];
  return numbers;
}

class Attributor {
public:
  Attributor(const WrongElements &wrong, const std::vector<Explanation> &explanations)
      : wrong(wrong), explanations(explanations), owner(wrong.elements.size(), noError),
        ownerFit(wrong.elements.size()) {}

  Attribution attributed(const Probabilities &probabilities) {
    for (const Fit fit : {Fit::exact, Fit::near})
      for (const BugClass bugClass : likeliest(probabilities, numBugClasses))
        if (bugClass != noError)
          give(bugClass, fit);
    return counted(probabilities);
  }

private:
  void give(BugClass bugClass, Fit fit) {
    for (const Explanation &explanation : explanations)
      if (speaksFor(explanation.feature, bugClass))
        for (size_t i = 0; i < owner.size(); ++i)
          if (explanation.fits[i] == fit &&
              (owner[i] == noError || (owner[i] == bugClass && ownerFit[i] == fit))) {
            owner[i] = bugClass, ownerFit[i] = fit;
            ++explainedBy[bugClass][explanation.feature];
          }
  }
  // The hypotheses because of which wrong elements were attributed to a class of bugs, the hypothesis with
  // most elements first.
  std::vector<Feature> hypothesesOf(BugClass bugClass) const {
    std::vector<std::pair<size_t, Feature>> byCount;
    if (const auto entry = explainedBy.find(bugClass); entry != explainedBy.end())
      for (const auto &[feature, count] : entry->second)
        byCount.emplace_back(count, feature);
    // If hypotheses explain equally many elements, those that recompute sums from known operands come first.
    std::ranges::sort(byCount, std::greater<>());
    std::vector<Feature> features;
    for (const auto &[count, feature] : byCount)
      features.push_back(feature);
    return features;
  }

  Attribution counted(const Probabilities &probabilities) const {
    // The class noError counts the wrong elements that no hypothesis explains.
    std::vector<uint64_t> elements(numBugClasses), failed(numBugClasses);
    for (size_t i = 0; i < owner.size(); ++i) {
      ++elements[static_cast<size_t>(owner[i])];
      failed[static_cast<size_t>(owner[i])] += wrong.elements[i].failed;
    }
    elements = scaled(elements, wrong.count);
    failed = scaled(failed, wrong.failed);
    Attribution attribution{.all = {wrong.count + wrong.noise, wrong.failed + wrong.noise},
                            .replayed = owner.size(),
                            .classes = {},
                            .unexplained = {elements[0] + wrong.noise, failed[0] + wrong.noise}};
    for (const BugClass bugClass : likeliest(probabilities, numBugClasses))
      if (explainedBy.contains(bugClass)) {
        const auto i = static_cast<size_t>(bugClass);
        attribution.classes.push_back({bugClass, {elements[i], failed[i]}, hypothesesOf(bugClass)});
      }
    return attribution;
  }

  const WrongElements &wrong;
  const std::vector<Explanation> &explanations;
  // For each wrong element, the class of bugs to which it was attributed; noError: none.
  std::vector<BugClass> owner;
  // For each wrong element, how well the class to which it was attributed explains it.
  std::vector<Fit> ownerFit;
  // Number of wrong elements that were attributed to a class of bugs because a hypothesis explains them, by
  // class and hypothesis.
  std::map<BugClass, std::map<Feature, size_t>> explainedBy;
};

} // namespace

std::span<const BugClass> classesOf(Feature hypothesis) {
  const auto row = std::ranges::find(hypothesisRows, hypothesis, &HypothesisRow::hypothesis);
  if (row == std::end(hypothesisRows))
    return {};
  return {row->classes.begin(), std::ranges::find(row->classes, noError)};
}

ElementCounts Attribution::of(BugClass bugClass) const {
  const auto entry = std::ranges::find(classes, bugClass, &ClassAttribution::bugClass);
  return entry == classes.end() ? ElementCounts() : entry->counts;
}

Attribution attribute(const WrongElements &wrong, const std::vector<Explanation> &explanations,
                      const Probabilities &probabilities) {
  return Attributor(wrong, explanations).attributed(probabilities);
}

bool isReproduced(const Attribution &attribution, BugClass bugClass) {
  constexpr double nearlyAll = 0.95;
  constexpr uint64_t fewestWrong = 16;
  // Replays follow replayTurnedWeights in the enumeration. Those without weights or sums give zeros, which many bugs leave.
  const auto isTypical = [&](Feature hypothesis) {
    return hypothesis >= Feature::replayTurnedWeights && hypothesis != Feature::replayNoWeights &&
           hypothesis != Feature::replayNoSum && classesOf(hypothesis).front() == bugClass;
  };
  const auto of = std::ranges::find(attribution.classes, bugClass, &ClassAttribution::bugClass);
  return attribution.all.elements >= fewestWrong && of != attribution.classes.end() &&
         !of->explainedBy.empty() && isTypical(of->explainedBy.front()) &&
         static_cast<double>(of->counts.elements) >=
             nearlyAll * static_cast<double>(attribution.all.elements);
}

} // namespace tilerig::verify
