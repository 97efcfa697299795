// Histogram of elements by relative error and order of magnitude (the plane), with separate sheets for the
// discarded, the passed and the failed elements.
#pragma once

#include "verify/Metrics/Element.h"
#include "verify/Metrics/Grid.h"

#include <vector>

namespace tilerig::verify {

struct SubsetCounts {
  uint64_t discarded = 0, passed = 0, failed = 0;
  bool operator==(const SubsetCounts &) const = default;
};

// The histogram has six sheets. Three sheets hold the elements that the limits of the comparison judge:
// discarded, passed and failed. The other three hold the excused elements, which pass because they are only a
// few 8-bit steps off: those that the limits alone would discard, pass and fail.
inline constexpr size_t numSubsets = 3;
inline constexpr size_t numSheets = 2 * numSubsets;
inline constexpr size_t sheetSize = gridRows * gridColumns;

class Plane {
public:
  Plane() : counts(numSheets * sheetSize) {}

  uint64_t at(size_t sheet, size_t row, size_t column) const {
    return counts[sheet * sheetSize + row * gridColumns + column];
  }
  // Number of elements of a histogram cell: all of them, the excused ones (which pass because they are only a
  // few 8-bit steps off), and the others.
  uint64_t total(size_t row, size_t column) const { return excused(row, column) + limited(row, column); }
  uint64_t excused(size_t row, size_t column) const { return sum(numSubsets, row, column); }
  uint64_t limited(size_t row, size_t column) const { return sum(0, row, column); }
  // Number of elements of a histogram cell that finally belong to a subset (discarded, passed or failed).
  // Elements that are only a few 8-bit steps off count as passed.
  uint64_t inSubset(Subset subset, size_t row, size_t column) const {
    return at(static_cast<size_t>(subset), row, column) +
           (subset == Subset::passed ? excused(row, column) : 0);
  }

  SubsetCounts subsets() const;
  // The number of discarded, passed and failed elements for any limits, which are given as indices of edges
  // of histogram bins.
  SubsetCounts subsetsAt(size_t oomEdge, size_t relativeEdge) const;

  std::vector<uint64_t> counts; // number of elements in each cell of the histogram, by sheet, row and column

private:
  uint64_t sum(size_t first, size_t row, size_t column) const {
    return at(first, row, column) + at(first + 1, row, column) + at(first + 2, row, column);
  }
};

// Upper edges of the buckets (wide bins) of the relative error, in percent. A tenth bucket holds larger and
// undefined errors.
inline constexpr std::array<double, 9> bucketEdges = {0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100};
using Buckets = std::array<uint64_t, bucketEdges.size() + 1>;
Buckets bucketsOfAll(const Plane &plane);
// Buckets (wide bins) of the relative error, with only those elements that are within the limit of the order
// of magnitude.
Buckets bucketsInLimit(const Plane &plane);

} // namespace tilerig::verify
