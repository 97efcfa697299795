#include "verify/Evidence/ByValues/Hypotheses.h"

#include <algorithm>
#include <set>

namespace tilerig::verify {

namespace {

// Centre of a list of numbers that are rounded to integers: the mean of those that are at most one away from
// the median.
float middleOfRounded(const std::vector<float> &numbers) {
  const float median = medianOf(numbers);
  float sum = 0, count = 0;
  for (const float number : numbers)
    if (std::fabs(number - median) <= 1)
      sum += number, ++count;
  return sum / count;
}

// Fits a number, such as an offset, to each channel: the median (or another middle) of number(element) over
// those wrong elements of the channel that are not at an end of the range. A channel with few different
// references gets no number, because both an offset and a factor would explain its errors.
template <class Number, class Middle>
std::map<size_t, float> middlesOfChannels(const ValueHypotheses &hypotheses, Number number, Middle middleOf) {
  std::map<size_t, std::vector<float>> numbers;
  std::map<size_t, std::set<float>> references;
  for (size_t i = 0; i < hypotheses.count(); ++i) {
    const WrongElement &element = hypotheses.element(i);
    if (ValueHypotheses::isFinite(element) && hypotheses.isInner(element)) {
      numbers[hypotheses.channelOf(i)].push_back(number(element));
      references[hypotheses.channelOf(i)].insert(element.reference);
    }
  }
  std::map<size_t, float> middles;
  for (auto &[channel, ofChannel] : numbers)
    if (references[channel].size() >= fewestOfFit)
      middles[channel] = middleOf(std::move(ofChannel));
  return middles;
}

// How well an offset explains a wrong element. If the target is at an end of the range, only a part of the
// offset shows, so the target must lie between the reference and the reference plus the offset.
Fit fitOfOffset(const ValueHypotheses &hypotheses, const WrongElement &element, float offset) {
  if (hypotheses.isInner(element)) {
    const bool isRounded =
        hypotheses.areWhole() && std::fabs(element.reference + offset - element.target) <= 1;
    return std::max(hypotheses.wrong.fitOf(element, element.reference + offset), nearIf(isRounded));
  }
  const float error = element.target - element.reference;
  return nearIf(error * offset > 0 && std::fabs(error) <= 1.25F * std::fabs(offset));
}

} // namespace

void explainOffsets(ValueHypotheses &hypotheses) {
  const auto error = [](const WrongElement &element) { return element.target - element.reference; };
  const std::map<size_t, float> offsets = hypotheses.areWhole()
                                              ? middlesOfChannels(hypotheses, error, middleOfRounded)
                                              : middlesOfChannels(hypotheses, error, medianOf);
  hypotheses.addFittedToChannels(Feature::byChannelOffset, [&](size_t i) {
    const auto offset = offsets.find(hypotheses.channelOf(i));
    return offset != offsets.end() ? fitOfOffset(hypotheses, hypotheses.element(i), offset->second)
                                   : Fit::none;
  });
}

void explainPowers(ValueHypotheses &hypotheses) {
  const WrongElements &wrong = hypotheses.wrong;
  if (wrong.isEightBit)
    // 8-bit integers have a zero point, so the quotient of two stored integers is not the quotient of the
    // numbers that they represent
    return;
  std::map<size_t, float> factors = middlesOfChannels(
      hypotheses,
      [](const WrongElement &element) {
        return element.reference != 0 ? element.target / element.reference : 0;
      },
      medianOf);
  std::erase_if(factors, [](const auto &factor) {
    int exponent = 0;
    return !(std::fabs(std::frexp(factor.second, &exponent) - 0.5F) < 0.01F) || exponent == 1;
  });
  hypotheses.addFittedToChannels(Feature::powerGains, [&](size_t i) {
    const auto factor = factors.find(hypotheses.channelOf(i));
    const WrongElement &element = hypotheses.element(i);
    return factor != factors.end() ? wrong.fitOf(element, element.reference * factor->second) : Fit::none;
  });
}

void explainOneValue(ValueHypotheses &hypotheses) {
  hypotheses.add(Feature::zeroTargets, [&](size_t i) { return exactIf(hypotheses.element(i).target == 0); });
  std::map<size_t, float> values;
  std::map<size_t, std::vector<float>> targets;
  for (size_t i = 0; i < hypotheses.count(); ++i)
    if (hypotheses.element(i).target != 0)
      targets[hypotheses.channelOf(i)].push_back(hypotheses.element(i).target);
  for (auto &[channel, ofChannel] : targets)
    if (ofChannel.size() >= fewestOfFit)
      values[channel] = medianOf(std::move(ofChannel));
  hypotheses.addFittedToChannels(Feature::commonTarget, [&](size_t i) {
    const auto value = values.find(hypotheses.channelOf(i));
    return exactIf(value != values.end() && hypotheses.element(i).target == value->second);
  });
}

void explainFunction(ValueHypotheses &hypotheses) {
  constexpr int parts = 1024;
  const WrongElements &wrong = hypotheses.wrong;
  float least = INFINITY, most = -INFINITY;
  for (const WrongElement &element : wrong.elements)
    if (ValueHypotheses::isFinite(element))
      least = std::min(least, element.reference), most = std::max(most, element.reference);
  const auto partOf = [&](const WrongElement &element) {
    return wrong.isEightBit ? static_cast<int>(element.reference)
                            : static_cast<int>((element.reference - least) / (most - least) * (parts - 1));
  };
  if (!(most > least))
    return;
  std::map<int, std::vector<float>> errors;
  for (const WrongElement &element : wrong.elements)
    if (ValueHypotheses::isFinite(element))
      errors[partOf(element)].push_back(element.target - element.reference);
  std::map<int, float> medians;
  for (auto &[part, ofPart] : errors)
    if (ofPart.size() >= fewestOfFit)
      medians[part] = medianOf(std::move(ofPart));
  const auto groupOf = [&](size_t i) { return static_cast<size_t>(partOf(hypotheses.element(i)) + 128); };
  hypotheses.addFitted(Feature::byValue, groupOf, [&](size_t i) {
    const WrongElement &element = hypotheses.element(i);
    const auto error = medians.find(partOf(element));
    return error != medians.end() ? wrong.fitOf(element, element.reference + error->second) : Fit::none;
  });
}

} // namespace tilerig::verify
