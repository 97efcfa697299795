// The elements with the largest absolute errors, as many as are kept.
#pragma once

#include "verify/Metrics/Comparison.h"

#include <algorithm>

namespace tilerig::verify {

class WorstList {
public:
  // Larger errors are kept, and others not; equal elements are none of the worst.
  double least() const { return list.size() < numWorst ? 0 : list.back().absolute; }
  bool takes(double absolute) const { return absolute > least(); }
  // Elements come by ascending index, so that among equal errors the first stay.
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
