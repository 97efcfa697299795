// Sums over groups of elements, to find how much of the elements' squared errors the group mean or a
// regression line explains.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tilerig::verify {

// Sums over the elements of one group, with reference r and error e. They give the mean error, and the
// regression line of e over r.
struct GroupSums {
  double n = 0, e = 0, r = 0, rr = 0, re = 0;

  void add(double reference, double error) {
    n += 1, e += error, r += reference, rr += reference * reference, re += reference * error;
  }
  double byMean() const { return n > 0 ? e * e / n : 0; }
  // The part of the sum of squared errors that the regression line explains: the part that the mean explains,
  // plus the part that the slope explains.
  double byLine() const {
    const double spread = rr - (n > 0 ? r * r / n : 0), slope = re - (n > 0 ? r * e / n : 0);
    return byMean() + (spread > 0x1p-30 * rr ? slope * slope / spread : 0);
  }
};

using Groups = std::vector<GroupSums>;

// Adjusted coefficient of determination (adjusted R²): the share of the sum of squared errors that a model
// explains, corrected for the number of its fitted parameters. 0 if there are at most as many elements as
// parameters.
inline double explained(double squares, double ofAll, size_t numbers, size_t elements) {
  if (ofAll <= 0 || numbers >= elements)
    return 0;
  const double left = std::max(1 - squares / ofAll, 0.0);
  const double adjusted = left * static_cast<double>(elements) / static_cast<double>(elements - numbers);
  return std::max(1 - adjusted, 0.0);
}

inline double sumOver(const Groups &groups, double (GroupSums::*part)() const) {
  double sum = 0;
  for (const GroupSums &group : groups)
    sum += (group.*part)();
  return sum;
}
inline size_t usedOf(const Groups &groups) {
  return static_cast<size_t>(
      std::ranges::count_if(groups, [](const GroupSums &group) { return group.n > 0; }));
}

} // namespace tilerig::verify
