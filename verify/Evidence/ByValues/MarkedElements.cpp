#include "verify/Evidence/ByValues/Hypotheses.h"
#include "verify/Evidence/Numbers.h"

#include <algorithm>

namespace tilerig::verify {

void explainEnds(ValueHypotheses &hypotheses) {
  hypotheses.add(Feature::referencesAtRail,
                 [&](size_t i) { return nearIf(hypotheses.ends.isAt(hypotheses.element(i).reference)); });
  float least = INFINITY, most = -INFINITY;
  for (const WrongElement &element : hypotheses.wrong.elements)
    if (ValueHypotheses::isFinite(element))
      least = std::min(least, element.target), most = std::max(most, element.target);
  hypotheses.add(Feature::targetsAtRail, [&](size_t i) {
    const WrongElement &element = hypotheses.element(i);
    return nearIf((element.target == most && element.reference > most) ||
                  (element.target == least && element.reference < least));
  });
}

void explainBorder(ValueHypotheses &hypotheses) {
  constexpr size_t mostWidth = 4, leastSide = 6, timesFewer = 20;
  struct Counts {
    size_t atBorder = 0, inside = 0;
    bool areFew() const { return atBorder + inside < fewestOfFit; }
    bool lieAtBorder() const { return !areFew() && timesFewer * inside <= atBorder; }
  };
  const Place &place = hypotheses.place;
  const size_t rank = hypotheses.wrong.shape.size();
  const size_t side = rank > 3 ? std::min(place.height(), place.width()) : place.width();
  if (rank < 3 || side < leastSide)
    return;
  const auto isAtBorder = [&hypotheses, width = std::min(mostWidth, side / 3)](size_t i) {
    return hypotheses.placeOf(i).border < width;
  };
  Counts all;
  std::vector<Counts> ofChannel(place.channels());
  for (size_t i = 0; i < hypotheses.count(); ++i)
    for (Counts *counts : {&all, &ofChannel[hypotheses.channelOf(i)]})
      ++(isAtBorder(i) ? counts->atBorder : counts->inside);
  hypotheses.add(Feature::borderDifferent, [&](size_t i) {
    const Counts &counts = ofChannel[hypotheses.channelOf(i)];
    return nearIf(isAtBorder(i) && (counts.areFew() ? all : counts).lieAtBorder());
  });
}

void explainSingles(ValueHypotheses &hypotheses) {
  const auto element = [&](size_t i) -> const WrongElement & { return hypotheses.element(i); };
  const auto distance = [&](size_t i) { return std::fabs(element(i).target - element(i).reference); };
  hypotheses.add(Feature::negated,
                 [&](size_t i) { return exactIf(element(i).target == -element(i).reference); });
  if (hypotheses.areWhole()) {
    hypotheses.add(Feature::halfRange, [&](size_t i) { return exactIf(distance(i) == 128); });
    hypotheses.add(Feature::smallSteps, [&](size_t i) { return nearIf(distance(i) <= 1); });
    return;
  }
  const DType type = hypotheses.wrong.type;
  const int bits = type == DType::f16 ? 10 : type == DType::bf16 ? 7 : 23;
  hypotheses.add(Feature::smallSteps, [&](size_t i) {
    int exponent = 0;
    std::frexp(std::max(std::fabs(element(i).reference), std::fabs(element(i).target)), &exponent);
    return nearIf(distance(i) <= std::ldexp(1.0F, exponent - 1 - bits));
  });
}

void explainVarying(ValueHypotheses &hypotheses, const std::vector<Tensor> &otherRuns) {
  std::vector<std::vector<double>> runs;
  for (const Tensor &run : otherRuns)
    runs.push_back(numbersOf(run));
  hypotheses.add(Feature::varying, [&](size_t i) {
    return exactIf(std::ranges::any_of(runs, [&](const std::vector<double> &run) {
      return static_cast<float>(run[hypotheses.element(i).index]) != hypotheses.element(i).target;
    }));
  });
}

} // namespace tilerig::verify
