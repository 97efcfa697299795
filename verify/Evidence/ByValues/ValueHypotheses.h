// Tests hypotheses about how wrong values follow from right ones, and collects the explanations. The
// hypotheses themselves are in Hypotheses.h.
#pragma once

#include "verify/Evidence/Explanations.h"
#include "verify/Evidence/Place.h"

#include <cmath>
#include <map>
#include <optional>

namespace tilerig::verify {

// Least number of wrong elements of a group, such as a channel, to which a number, such as an offset, is
// fitted.
inline constexpr size_t fewestOfFit = 4;

float medianOf(std::vector<float> numbers);
inline Fit exactIf(bool holds) { return holds ? Fit::exact : Fit::none; }
inline Fit nearIf(bool holds) { return holds ? Fit::near : Fit::none; }

// The least and the largest value of the reference. Each is given only if several elements have it, as the
// zero of a Relu.
struct RangeEnds {
  std::optional<float> low, high;

  explicit RangeEnds(const std::vector<float> &reference);
  bool isAt(float value) const { return (low && value <= *low) || (high && value >= *high); }
};

class ValueHypotheses {
public:
  // The wrong elements that are passed to the constructor must outlive the object.
  explicit ValueHypotheses(const WrongElements &wrong);

  const WrongElements &wrong;
  const Place place;    // positions of all elements of the tensor in the image
  const RangeEnds ends; // least and largest value of the reference, if several elements have it

  size_t count() const { return wrong.elements.size(); }
  const WrongElement &element(size_t i) const { return wrong.elements[i]; }
  const Place::Of &placeOf(size_t i) const { return places[i]; }
  size_t channelOf(size_t i) const { return places[i].channel; }
  bool areWhole() const { return wrong.type == DType::i8 || wrong.type == DType::u8; }
  // Whether neither the reference nor the target of an element is at an end of the range.
  bool isInner(const WrongElement &element) const {
    return !ends.isAt(element.reference) && !ends.isAt(element.target);
  }
  static bool isFinite(const WrongElement &element) {
    return std::isfinite(element.reference) && std::isfinite(element.target);
  }

  // Adds a hypothesis to the explanations; fitOfElement(i) returns how well it explains wrong element i.
  template <class FitOfElement>
  void add(Feature feature, FitOfElement fitOfElement) {
    Explanation explanation{feature, std::vector<Fit>(count())};
    for (size_t i = 0; i < count(); ++i)
      if (isFinite(element(i)))
        explanation.fits[i] = fitOfElement(i);
    explanations.push_back(std::move(explanation));
  }
  // Adds a hypothesis for which a number was fitted to each group of wrong elements, such as a channel;
  // groupOf(i) is the group of wrong element i. A fitted number always explains some element, so a hypothesis
  // counts for a group only if it explains most of the group.
  template <class GroupOf, class FitOfElement>
  void addFitted(Feature feature, GroupOf groupOf, FitOfElement fitOfElement) {
    add(feature, fitOfElement);
    std::vector<size_t> groups(count());
    for (size_t i = 0; i < count(); ++i)
      groups[i] = groupOf(i);
    keepFitsOfMost(groups, explanations.back().fits);
  }
  // Adds a hypothesis for which a number, such as an offset, was fitted to each channel.
  template <class FitOfElement>
  void addFittedToChannels(Feature feature, FitOfElement fitOfElement) {
    addFitted(
        feature, [&](size_t i) { return channelOf(i); }, fitOfElement);
  }

  std::vector<Explanation> taken() { return std::move(explanations); }

private:
  static void keepFitsOfMost(const std::vector<size_t> &groups, std::vector<Fit> &fits);

  std::vector<Place::Of> places; // position of each wrong element in the image
  std::vector<Explanation> explanations;
};

} // namespace tilerig::verify
