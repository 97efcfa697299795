#include "verify/Verdict/Verdict.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numeric>
#include <utility>

namespace tilerig::verify {

namespace {

// Least number of elements that a tensor must have for a verdict: fewer are not enough for statistics.
constexpr uint64_t fewestElements = 8;

constexpr size_t indexOf(BugClass bugClass) { return static_cast<size_t>(bugClass); }
float featureOf(const Features &features, Feature feature) { return features[static_cast<size_t>(feature)]; }

// Conditions the probabilities on the fact that the bug has one of the classes from first to last - 1.
void excludeOthers(Probabilities &probabilities, PossibleClasses possible) {
  const auto [first, last] = possible;
  std::fill(probabilities.begin(), probabilities.begin() + first, 0.0f);
  std::fill(probabilities.begin() + last, probabilities.end(), 0.0f);
  const float rest = std::accumulate(probabilities.begin(), probabilities.end(), 0.0f);
  for (size_t i = first; i < last; ++i)
    probabilities[i] = rest > 0 ? probabilities[i] / rest : 1.0f / static_cast<float>(last - first);
}

// Whether the largest error of a tensor is at most half an 8-bit step. The feature's value is (32 +
// log2(largest error / largest reference)) / 32.
bool isWithinHalfAStep(const Features &features) {
  constexpr float halfAStep = (32 - 8) / 32.0f;
  return featureOf(features, Feature::largestError) <= halfAStep;
}

// Counts the class "rounding" as no error, for references that do not specify rounding.
void excuseRounding(Probabilities &probabilities) {
  probabilities[indexOf(BugClass::noError)] +=
      std::exchange(probabilities[indexOf(BugClass::rounding)], 0.0f);
}

BugClass likeliestOf(const Probabilities &probabilities) {
  return static_cast<BugClass>(std::ranges::max_element(probabilities) - probabilities.begin());
}

// Whether the probabilities suffice to claim a bug if the reference is not exact to the bit.
bool isCertain(const Probabilities &probabilities, BugClass likeliest) {
  return 1 - probabilities[indexOf(BugClass::noError)] >= leastCertainty &&
         probabilities[indexOf(likeliest)] >= leastCertaintyOfClass;
}

} // namespace

std::string_view nameOf(Answer answer) {
  constexpr std::string_view names[] = {"named", "unknown", "cannot_say"};
  return names[static_cast<size_t>(answer)];
}

Verdict cannotSay(std::string reason) {
  Verdict verdict;
  verdict.reason = std::move(reason);
  return verdict;
}

PossibleClasses possibleClasses(const Features &features) {
  if (featureOf(features, Feature::oracleKnown) == 0 || featureOf(features, Feature::different) == 0)
    return {0, numBugClasses};
  return {1, featureOf(features, Feature::orderKnown) != 0 ? numProgramBugClasses : numBugClasses};
}

Verdict decide(const Scores &scores, const Features &features) {
  Verdict verdict{Answer::named, "", BugClass::noError, scores.probabilities, scores.unknown};
  const bool isWrong = featureOf(features, Feature::oracleKnown) != 0;
  const bool isSmall = isWrong ? featureOf(features, Feature::different) == 0 : isWithinHalfAStep(features);
  if (isSmall && featureOf(features, Feature::notFinite) == 0) {
    verdict.probabilities = {};
    verdict.probabilities[indexOf(BugClass::noError)] = 1;
    verdict.unknown = 0;
    return verdict;
  }
  excludeOthers(verdict.probabilities, possibleClasses(features));
  if (!isWrong)
    excuseRounding(verdict.probabilities);
  const BugClass likeliest = likeliestOf(verdict.probabilities);
  if (!isWrong && likeliest == BugClass::noError)
    return verdict;
  if (!isWrong && !isCertain(verdict.probabilities, likeliest)) {
    verdict.answer = Answer::cannotSay;
    verdict.reason =
        fmt::format("two systems may differ without a bug, and the probability of {} is only {:.2f}",
                    nameOf(likeliest), verdict.probabilities[indexOf(likeliest)]);
    return verdict;
  }
  const bool isUnknown = verdict.unknown > 0.5f;
  if (isUnknown && !isWrong) {
    verdict.answer = Answer::cannotSay;
    verdict.reason =
        "the differences are unlike all known bugs, and may be normal differences of two systems";
    return verdict;
  }
  verdict.bugClass = likeliest;
  if (isUnknown)
    verdict.answer = Answer::unknown;
  return verdict;
}

bool isConstant(const Tensor &tensor) {
  const auto bytes = tensor.bytes();
  const size_t each = sizeBytes(tensor.dtype());
  return bytes.size() <= each || std::equal(bytes.begin() + each, bytes.end(), bytes.begin());
}

std::optional<std::string> whyNothingCanBeSaid(const Comparison &comparison, const Tensor &reference) {
  if (comparison.status == TensorStatus::shapeMismatch || comparison.status == TensorStatus::dtypeMismatch ||
      comparison.status == TensorStatus::missing)
    return "the tensors cannot be compared: " + comparison.reason;
  if (comparison.elements < fewestElements)
    return fmt::format("{} elements are too few for a verdict", comparison.elements);
  if (comparison.referenceNan + comparison.referenceInfinite > 0)
    return "the reference contains NaN or infinity";
  if (2 * (comparison.targetNan + comparison.targetInfinite) > comparison.elements)
    return "most elements of the target are NaN or infinite";
  if (comparison.largestReference == 0)
    return "all elements of the reference are zero";
  if (isConstant(reference))
    return "all elements of the reference have the same value";
  return std::nullopt;
}

std::vector<BugClass> likeliest(const Probabilities &probabilities, size_t count) {
  std::vector<BugClass> classes;
  for (size_t i = 0; i < numBugClasses; ++i)
    classes.push_back(static_cast<BugClass>(i));
  std::ranges::stable_sort(classes, std::greater<>(),
                           [&](BugClass bugClass) { return probabilities[indexOf(bugClass)]; });
  classes.resize(std::min(count, classes.size()));
  return classes;
}

} // namespace tilerig::verify
