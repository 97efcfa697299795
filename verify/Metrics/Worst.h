// Keeps the 16 elements with the largest absolute errors.
#pragma once

#include "verify/Metrics/Comparison.h"

#include <algorithm>

namespace tilerig::verify {

class WorstList {
public:
  // The error that an element must exceed to be added to the worst elements. Equal elements, with error 0,
  // are never added.
  double least() const { return list.size() < numWorst ? 0 : list.back().absolute; }
  bool takes(double absolute) const { return absolute > least(); }
  // Adds an element to the worst ones if its error is large enough. Elements must come in ascending index, so
  // that the first of equal errors is kept.
  void add(const WorstElement &element) {
    if (!takes(element.absolute))
      return;
    auto place = std::ranges::find_if(
        list, [&](const WorstElement &other) { return other.absolute < element.absolute; });
    list.insert(place, element);
    if (list.size() > numWorst)
      list.pop_back();
  }
  std::vector<WorstElement> taken() { return std::move(list); }

private:
  std::vector<WorstElement> list;
};

} // namespace tilerig::verify
