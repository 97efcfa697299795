#include "verify/Evidence/ByValues/ValueHypotheses.h"

#include <algorithm>

namespace tilerig::verify {

float medianOf(std::vector<float> numbers) {
  const auto middle = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

RangeEnds::RangeEnds(const std::vector<float> &reference) {
  float least = INFINITY, most = -INFINITY;
  for (const float r : reference)
    if (std::isfinite(r))
      least = std::min(least, r), most = std::max(most, r);
  const auto areMany = [&](float value) {
    return static_cast<size_t>(std::ranges::count(reference, value)) >
           std::max<size_t>(fewestOfFit, reference.size() / 200);
  };
  if (areMany(least))
    low = least;
  if (areMany(most))
    high = most;
}

ValueHypotheses::ValueHypotheses(const WrongElements &wrong)
    : wrong(wrong), place(wrong.shape, wrong.reference.size(), {}), ends(wrong.reference) {
  for (const WrongElement &element : wrong.elements)
    places.push_back(place.of(element.index));
}

// Removes the hypothesis from all groups of which it explains too few wrong elements. `groups` has the group,
// such as the channel, of each wrong element.
void ValueHypotheses::keepFitsOfMost(const std::vector<size_t> &groups, std::vector<Fit> &fits) {
  constexpr double most = 0.6;
  // For each group of wrong elements, such as a channel, the number of its elements and of those that the
  // hypothesis explains.
  std::map<size_t, std::pair<double, double>> counts;
  for (size_t i = 0; i < fits.size(); ++i) {
    auto &[all, fitting] = counts[groups[i]];
    ++all;
    fitting += fits[i] != Fit::none;
  }
  for (size_t i = 0; i < fits.size(); ++i)
    if (const auto &[all, fitting] = counts[groups[i]]; fitting < most * all)
      fits[i] = Fit::none;
}

} // namespace tilerig::verify
