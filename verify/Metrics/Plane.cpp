#include "verify/Metrics/Plane.h"

namespace tilerig::verify {

namespace {

constexpr size_t edgeIndex(double edge) {
  return static_cast<size_t>(std::ranges::find(relativeEdges, edge) - relativeEdges.begin());
}
static_assert(std::ranges::all_of(bucketEdges,
                                  [](double edge) { return edgeIndex(edge) < relativeEdges.size(); }),
              "the edges of buckets are edges of bins, so a bucket is a sum of bins");

size_t bucketOfRow(size_t row) {
  if (row == undefinedRow)
    return bucketEdges.size();
  if (row == equalRow)
    return 0;
  const auto bin = static_cast<size_t>(binOfRow(static_cast<int32_t>(row)));
  return static_cast<size_t>(
      std::ranges::find_if(bucketEdges, [&](double edge) { return bin <= edgeIndex(edge); }) -
      bucketEdges.begin());
}

// Number of elements in one row of a histogram sheet (the cells of one subset). Adds up contiguous memory,
// which is faster than calling at() for each cell.
uint64_t sumOfRow(const Plane &plane, size_t sheet, size_t row) {
  const uint64_t *cells = plane.counts.data() + sheet * sheetSize + row * gridColumns;
  uint64_t sum = 0;
  for (size_t column = 0; column < gridColumns; ++column)
    sum += cells[column];
  return sum;
}

Buckets bucketsOf(const Plane &plane, std::initializer_list<Subset> subsets) {
  Buckets buckets{};
  for (size_t row = 0; row < gridRows; ++row) {
    uint64_t &bucket = buckets[bucketOfRow(row)];
    for (const Subset subset : subsets) {
      const auto sheet = static_cast<size_t>(subset);
      bucket += sumOfRow(plane, sheet, row) + sumOfRow(plane, sheet + numSubsets, row);
    }
  }
  return buckets;
}

bool rowWithin(size_t row, size_t relativeEdge) {
  if (row == equalRow || row == undefinedRow)
    return row == equalRow;
  return static_cast<size_t>(binOfRow(static_cast<int32_t>(row))) <= relativeEdge;
}

} // namespace

SubsetCounts Plane::subsets() const {
  uint64_t sums[numSubsets] = {}, allExcused = 0;
  for (size_t row = 0; row < gridRows; ++row)
    for (size_t subset = 0; subset < numSubsets; ++subset) {
      sums[subset] += sumOfRow(*this, subset, row);
      allExcused += sumOfRow(*this, subset + numSubsets, row);
    }
  sums[static_cast<size_t>(Subset::passed)] += allExcused;
  return {sums[0], sums[1], sums[2]};
}

SubsetCounts Plane::subsetsAt(size_t oomEdge, size_t relativeEdge) const {
  SubsetCounts counted;
  for (size_t row = 0; row < gridRows; ++row)
    for (size_t column = 0; column < gridColumns; ++column) {
      const bool inLimit = column <= oomEdge;
      uint64_t &subset = !inLimit                       ? counted.discarded
                         : rowWithin(row, relativeEdge) ? counted.passed
                                                        : counted.failed;
      subset += limited(row, column);
      counted.passed += excused(row, column);
    }
  return counted;
}

Buckets bucketsOfAll(const Plane &plane) {
  return bucketsOf(plane, {Subset::discarded, Subset::passed, Subset::failed});
}
Buckets bucketsInLimit(const Plane &plane) { return bucketsOf(plane, {Subset::passed, Subset::failed}); }

} // namespace tilerig::verify
