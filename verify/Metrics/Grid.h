// The bins of the histogram in which elements are counted by relative error and order of magnitude.
//
// There are ten edges to a decade: 1, 1.25, 1.6, 2, 2.5, 3, 4, 5, 6, 8, 10. Usual limits are edges, so
// numbers of elements within these limits are exact. A bin holds values above its lower edge up to and
// including its upper edge. The classifier's input depends on these bins, so a change of them requires a new
// version of the evidence (verify/Evidence).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tilerig::verify {

inline constexpr std::array<int, 10> gridSteps = {100, 125, 160, 200, 250, 300, 400, 500, 600, 800};

// The edges from 10^first to 10^last; each is the double nearest to its decimal value.
template <int first, int last>
constexpr auto gridEdges() {
  std::array<double, size_t(last - first) * gridSteps.size() + 1> edges{};
  for (size_t i = 0; i < edges.size(); ++i) {
    double numerator = gridSteps[i % gridSteps.size()], denominator = 100;
    const int exponent = first + static_cast<int>(i / gridSteps.size());
    for (int k = 0; k < exponent; ++k)
      numerator *= 10;
    for (int k = exponent; k < 0; ++k)
      denominator *= 10;
    edges[i] = numerator / denominator; // Both operands are exact integers, so only the quotient is rounded.
  }
  return edges;
}

// edges of the bins of the order of magnitude, which is a ratio
inline constexpr auto oomEdges = gridEdges<0, 6>();
// edges of the bins of the relative error, in percent
inline constexpr auto relativeEdges = gridEdges<-3, 4>();

// Finds the bin of a non-negative number, that is, the number of edges below it. The upper bits of a double
// (its exponent and first four fraction bits) select a cell of a table that is so narrow that it contains at
// most one edge. The cell has an addend, which is added to the remaining bits. The upper bits of the sum are
// the bin: the number of edges below the cell, plus one, by a carry, if the number is above the edge in the
// cell.
template <const auto &edges>
struct GridLookup {
  static constexpr int cellShift = 48;
  static constexpr uint64_t restOf(double number) {
    return std::bit_cast<uint64_t>(number) & ((uint64_t{1} << cellShift) - 1);
  }
  static constexpr int64_t cellOf(double number) { return std::bit_cast<int64_t>(number) >> cellShift; }
  static constexpr double beyondLast = std::bit_cast<double>(std::bit_cast<int64_t>(edges.back()) + 1);
  static constexpr int64_t firstCell = cellOf(edges.front());
  static constexpr size_t numCells = cellOf(beyondLast) - firstCell + 1;

  alignas(64) std::array<uint64_t, numCells> addends{};

  constexpr GridLookup() {
    size_t next = 0;
    for (size_t cell = 0; cell < numCells; ++cell) {
      addends[cell] = static_cast<uint64_t>(next) << cellShift;
      if (next < edges.size() && cellOf(edges[next]) == firstCell + static_cast<int64_t>(cell))
        addends[cell] += (uint64_t{1} << cellShift) - 1 - restOf(edges[next++]);
    }
  }

  // The number itself or, if it is outside the lookup table, the nearest number inside, which lies in the
  // same bin; NaN gets an arbitrary bin.
  [[gnu::always_inline]] static double clamped(double number) {
    const double least = number > edges.front() ? number : edges.front();
    return least < beyondLast ? least : beyondLast;
  }
  [[gnu::always_inline]] int32_t ofClamped(double number) const {
    return static_cast<int32_t>((restOf(number) + addends[static_cast<size_t>(cellOf(number) - firstCell)]) >>
                                cellShift);
  }
  [[gnu::always_inline]] int32_t operator()(double number) const { return ofClamped(clamped(number)); }
};
inline constexpr GridLookup<oomEdges> oomLookup;
inline constexpr GridLookup<relativeEdges> relativeLookup;

// Columns of the histogram of elements (Plane.h): one for each bin of the order of magnitude, and one for
// elements that are zero in both tensors.
inline constexpr int32_t bothZeroColumn = oomEdges.size() + 1;
inline constexpr size_t gridColumns = bothZeroColumn + 1;

// Rows of the histogram of elements (Plane.h), in this order: negative relative errors from the largest to
// the smallest, equal elements, positive errors from the smallest to the largest, undefined errors.
inline constexpr int32_t relativeBins = relativeEdges.size() + 1;
inline constexpr int32_t equalRow = relativeBins;
inline constexpr int32_t undefinedRow = 2 * relativeBins + 1;
inline constexpr size_t gridRows = undefinedRow + 1;

// The histogram row of negative or positive relative errors, by the bin of their absolute value.
constexpr int32_t rowOfBin(int32_t bin, bool negative) {
  return negative ? equalRow - 1 - bin : equalRow + 1 + bin;
}
// The bin of the absolute value of the relative error for a row of the histogram; not for equalRow and
// undefinedRow.
constexpr int32_t binOfRow(int32_t row) { return row < equalRow ? equalRow - 1 - row : row - equalRow - 1; }

inline int32_t rowOf(double relative) {
  if (std::isnan(relative))
    return undefinedRow;
  return relative == 0 ? equalRow : rowOfBin(relativeLookup(std::fabs(relative)), relative < 0);
}
inline int32_t columnOf(double oom, bool bothZero) { return bothZero ? bothZeroColumn : oomLookup(oom); }

} // namespace tilerig::verify
