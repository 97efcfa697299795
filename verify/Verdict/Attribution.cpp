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
  Fact hypothesis;
  std::array<BugClass, mostClasses> classes; // the most frequent class first; noError ends the list
};
constexpr HypothesisRow hypothesisRows[] = {
    // --- Hypotheses that are tested on any tensor ---
    {Fact::byChannelOffset, {biasLoading, quantisationType}},
    {Fact::powerGains, {scaling}},
    {Fact::bestLag, {dataAccess, splitting, memoryMapping, memoryAllocation, synchronisation, hardware}},
    {Fact::transposed, {orientation}},
    {Fact::channelsLast, {orientation}},
    {Fact::otherChannels, {coefficientLoading, memoryMapping, splitting}},
    {Fact::zeroTargets,
     {hardware, memoryMapping, splitting, synchronisation, memoryAllocation, serialisation}},
    {Fact::commonTarget, {coefficientLoading, hardware, clipping, memoryMapping}},
    {Fact::byValue, {table, instructionCalls, scaling, quantisationType, rounding, overflow}},
    {Fact::referencesAtRail, {clipping, instructionCalls, overflow}},
    {Fact::targetsAtRail, {clipping, overflow}},
    {Fact::borderDifferent, {padding}},
    {Fact::halfRange, {quantisationType, hardware}},
    {Fact::negated, {instructionCalls}},
    {Fact::smallSteps, {rounding}},
    {Fact::varying, {synchronisation, serialisation, hardware}},
    // Shows for whole channels that their values were replaced, so it explains no single element.
    {Fact::channelsDifferent, {coefficientLoading, hardware, memoryMapping}},
    // --- Hypotheses that are tested on sums of products with known operands ---
    {Fact::replayTurnedWeights, {orientation}},
    {Fact::replayMovedWeights, {coefficientLoading, memoryMapping}},
    {Fact::replayOtherWeights, {coefficientLoading, memoryMapping, hardware}},
    {Fact::replayExchangedWeights, {coefficientLoading, memoryMapping, hardware}},
    {Fact::replayStaleWeights, {coefficientLoading, memoryMapping, memoryAllocation, synchronisation}},
    {Fact::replayStaleBias, {biasLoading, memoryMapping, memoryAllocation, synchronisation}},
    {Fact::replayNoWeights, {coefficientLoading, memoryMapping, splitting, hardware}},
    {Fact::replayNoSum, {hardware, coefficientLoading, memoryMapping, splitting}},
    {Fact::replayNoBias, {biasLoading, memoryMapping}},
    {Fact::replayScaledBias, {biasLoading}},
    {Fact::replayOtherBias, {biasLoading, memoryMapping}},
    {Fact::replayPowerOfScale, {scaling}},
    {Fact::replayOtherScale, {scaling}},
    {Fact::replayInputType, {quantisationType}},
    {Fact::replayWeightType, {quantisationType}},
    {Fact::replayInputZero, {quantisationType}},
    {Fact::replayPaddingValue, {padding}},
    {Fact::replayShorterDepth, {splitting, coefficientLoading, memoryMapping}},
    {Fact::replayLostPart, {splitting, coefficientLoading, memoryMapping}},
    {Fact::replayDoubledPart, {splitting}},
    {Fact::replayMovedInput, {dataAccess, memoryMapping, splitting}},
    {Fact::replayLongerRows, {dataAccess}},
    {Fact::replayShiftedInput, {padding, splitting, dataAccess}},
    {Fact::replayStride, {dataAccess}},
    {Fact::replayDilation, {dataAccess}},
    {Fact::replayMorePadding, {padding}},
};

bool speaksFor(Fact hypothesis, BugClass bugClass) {
  const std::span<const BugClass> classes = classesOf(hypothesis);
  return std::ranges::find(classes, bugClass) != classes.end();
}

// Scales counts of tested elements up to the whole tensor. The counts with the largest fractions are rounded
// up and the others down, so that all of them add up to `whole`.
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
      if (speaksFor(explanation.fact, bugClass))
        for (size_t i = 0; i < owner.size(); ++i)
          if (explanation.fits[i] == fit &&
              (owner[i] == noError || (owner[i] == bugClass && ownerFit[i] == fit))) {
            owner[i] = bugClass, ownerFit[i] = fit;
            ++explainedBy[bugClass][explanation.fact];
          }
  }
  // The hypotheses by which elements were given to a class, the one with most elements first.
  std::vector<Fact> hypothesesOf(BugClass bugClass) const {
    std::vector<std::pair<size_t, Fact>> byCount;
    if (const auto found = explainedBy.find(bugClass); found != explainedBy.end())
      for (const auto &[fact, count] : found->second)
        byCount.emplace_back(count, fact);
    std::ranges::sort(byCount, std::greater<>()); // for equal counts, replays with known operands come first
    std::vector<Fact> facts;
    for (const auto &[count, fact] : byCount)
      facts.push_back(fact);
    return facts;
  }

  Attribution counted(const Probabilities &probabilities) const {
    // Elements that nothing explains are counted for the class noError here.
    std::vector<uint64_t> elements(numBugClasses), failed(numBugClasses);
    for (size_t i = 0; i < owner.size(); ++i) {
      ++elements[static_cast<size_t>(owner[i])];
      failed[static_cast<size_t>(owner[i])] += wrong.elements[i].failed;
    }
    elements = scaled(elements, wrong.count);
    failed = scaled(failed, wrong.failed);
    Attribution made{.all = {wrong.count + wrong.noise, wrong.failed + wrong.noise},
                     .replayed = owner.size(),
                     .classes = {},
                     .unexplained = {elements[0] + wrong.noise, failed[0] + wrong.noise}};
    for (const BugClass bugClass : likeliest(probabilities, numBugClasses))
      if (explainedBy.contains(bugClass)) {
        const auto i = static_cast<size_t>(bugClass);
        made.classes.push_back({bugClass, {elements[i], failed[i]}, hypothesesOf(bugClass)});
      }
    return made;
  }

  const WrongElements &wrong;
  const std::vector<Explanation> &explanations;
  std::vector<BugClass> owner; // class that each element was given to; noError: none
  std::vector<Fit> ownerFit;   // how well that class explains the element
  // Number of elements given to a class because a hypothesis explains them, by class and hypothesis.
  std::map<BugClass, std::map<Fact, size_t>> explainedBy;
};

} // namespace

std::span<const BugClass> classesOf(Fact hypothesis) {
  const auto row = std::ranges::find(hypothesisRows, hypothesis, &HypothesisRow::hypothesis);
  if (row == std::end(hypothesisRows))
    return {};
  return {row->classes.begin(), std::ranges::find(row->classes, noError)};
}

ElementCounts Attribution::of(BugClass bugClass) const {
  const auto found = std::ranges::find(classes, bugClass, &ClassAttribution::bugClass);
  return found == classes.end() ? ElementCounts() : found->counts;
}

Attribution attribute(const WrongElements &wrong, const std::vector<Explanation> &explanations,
                      const Probabilities &probabilities) {
  return Attributor(wrong, explanations).attributed(probabilities);
}

} // namespace tilerig::verify
