// How many elements lie where in the plane of relative error and order of magnitude, by subset.
#pragma once

#include "verify/Metrics/Element.h"
#include "verify/Metrics/Grid.h"

#include <vector>

namespace tilerig::verify {

struct SubsetCounts {
  uint64_t discarded = 0, passed = 0, failed = 0;
  bool operator==(const SubsetCounts &) const = default;
};

// A sheet for each subset by the limits; three more for those of eight bits that are excused, whatever the
// limits.
inline constexpr size_t numSubsets = 3;
inline constexpr size_t numSheets = 2 * numSubsets;
inline constexpr size_t sheetSize = gridRows * gridColumns;

class Plane {
public:
  Plane() : counts(numSheets * sheetSize) {}

  uint64_t at(size_t sheet, size_t row, size_t column) const {
    return counts[sheet * sheetSize + row * gridColumns + column];
  }
  // Of all sheets, or of the excused alone.
  uint64_t total(size_t row, size_t column) const { return excused(row, column) + limited(row, column); }
  uint64_t excused(size_t row, size_t column) const { return sum(numSubsets, row, column); }
  uint64_t limited(size_t row, size_t column) const { return sum(0, row, column); }
  // Of the elements that ended up in the subset, excused ones counted as passed.
  uint64_t inSubset(Subset subset, size_t row, size_t column) const {
    return at(static_cast<size_t>(subset), row, column) +
           (subset == Subset::passed ? excused(row, column) : 0);
  }

  SubsetCounts subsets() const;
  // What the subsets would be for other limits, which must be edges of the grid: then these counts are exact.
  SubsetCounts subsetsAt(size_t oomEdge, size_t relativeEdge) const;

  std::vector<uint64_t> counts; // sheet, row, column

private:
  uint64_t sum(size_t first, size_t row, size_t column) const {
    return at(first, row, column) + at(first + 1, row, column) + at(first + 2, row, column);
  }
};

// Upper edges of the buckets, in percent; a tenth takes what is above them, or undefined.
inline constexpr std::array<double, 9> bucketEdges = {0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100};
using Buckets = std::array<uint64_t, bucketEdges.size() + 1>;
Buckets bucketsOfAll(const Plane &plane);
Buckets bucketsInLimit(const Plane &plane); // of elements that the limit on the order of magnitude keeps

} // namespace tilerig::verify
