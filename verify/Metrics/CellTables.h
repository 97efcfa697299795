// Lookup tables that find the histogram cell (Grid.h) of an element faster than a search among the edges of
// all bins.
//
// The column of the cell depends on the order of magnitude, anchor / |element|, where the anchor (Limits.h)
// is one number for a tensor. The table of columns therefore contains the absolute values of elements at
// which a new column begins. The row of the cell depends on the relative error. The table of rows contains
// the quotients of error and reference at which a new row begins.
//
// Rounding is monotonic. Comparisons with these thresholds therefore give exactly the same column and row as
// computing the order of magnitude and the relative error. The limits of the comparison must be edges of
// bins, so that all elements of a cell belong to the same subset.
#pragma once

#include "verify/Metrics/Element.h"
#include "verify/Metrics/Grid.h"

#include <optional>

namespace tilerig::verify {

// The upper bits of a double select the cell of a lookup table; this is the number of the remaining low bits.
// A cell covers a range of doubles, and contains at most one edge of a histogram bin. lookUp() returns the
// value of the cell, plus one if the double is above this edge. Its argument is the difference between the
// bits of the double and the bits at which the first cell begins.
inline constexpr int cellShift = 48;

constexpr uint64_t doubleBits(double number) { return std::bit_cast<uint64_t>(number); }
constexpr double doubleOf(uint64_t bits) { return std::bit_cast<double>(bits); }

// The entry of a lookup table for a cell that contains no edge of a histogram bin. lookUp() adds the entry to
// the bits of a number. The upper bits of the sum are then `value`.
constexpr uint64_t plainAddend(uint64_t cell, uint64_t value) { return (value - cell) << cellShift; }
// The entry of a lookup table for a cell that contains an edge of a histogram bin. lookUp() adds the entry to
// the bits of a number. The upper bits of the sum are then `value` or, if the number is above the edge,
// `value` + 1 because of the carry.
constexpr uint64_t edgeAddend(uint64_t cell, uint64_t value, double edge) {
  constexpr uint64_t rest = (uint64_t{1} << cellShift) - 1;
  return plainAddend(cell, value) + rest - (doubleBits(edge) & rest);
}
[[gnu::always_inline]] inline uint64_t lookUp(const uint64_t *addends, uint64_t bits) {
  return (bits + addends[bits >> cellShift]) >> cellShift;
}

// Histogram rows in which elements are counted. The first three are for special cases: the relative error is
// undefined, both elements are zero, or both are equal. A row follows for each bin of negative relative
// errors, then one for each bin of positive ones.
enum CountedRow : uint32_t { countedUndefined, countedBothZero, countedEqual, countedNegative };
inline constexpr uint32_t countedPositive = countedNegative + relativeBins;
inline constexpr size_t countedRows = countedPositive + relativeBins;
// Number of histogram columns in which elements are counted: column n holds the elements whose size (absolute
// value) exceeds exactly n thresholds.
inline constexpr size_t countedColumns = 64;

int32_t rowOfCounted(uint32_t row);
inline int32_t columnOfCounted(uint32_t column) { return static_cast<int32_t>(oomEdges.size() - column); }

// The lookup table that finds the histogram row of a quotient of error and reference. Its cells are ordered:
// special cases, negative quotients, positive quotients. A negative quotient q is looked up as |q| times
// 2^-26, which is below all positive quotients.
namespace quotients {

// An edge of a histogram bin is a relative error in percent. Returns the largest quotient of error and
// reference whose relative error (100 times the quotient, rounded) is not above the edge.
constexpr double hundredth(double edge) {
  uint64_t bits = doubleBits(edge / 100);
  while (doubleOf(bits) * 100 > edge)
    --bits;
  while (doubleOf(bits + 1) * 100 <= edge)
    ++bits;
  return doubleOf(bits);
}
constexpr uint64_t cellOf(double number) { return doubleBits(number) >> cellShift; }

// Bounds to which quotients of error and reference are clamped. Clamping changes the histogram row of no
// quotient.
inline constexpr double least = hundredth(relativeEdges.front());
inline constexpr double most = doubleOf(doubleBits(hundredth(relativeEdges.back())) + 1);
inline constexpr double negativeFactor = 0x1p-26;
static_assert(most * negativeFactor < least);
inline constexpr uint64_t firstCell = cellOf(least * negativeFactor) - countedNegative;
inline constexpr size_t numCells = cellOf(most) - firstCell + 1;

// A number that selects the table cell of a special case: the relative error is undefined, both elements are
// zero, or both are equal.
constexpr double special(CountedRow row) { return doubleOf((firstCell + row) << cellShift); }

struct Table {
  alignas(64) std::array<uint64_t, numCells> addends{};

  constexpr Table() {
    for (uint32_t row = 0; row < countedNegative; ++row)
      addends[row] = plainAddend(row, row);
    fill(negativeFactor, countedNegative);
    fill(1, countedPositive);
  }
  constexpr void fill(double factor, uint32_t row) {
    size_t next = 0;
    for (uint64_t cell = cellOf(least * factor); cell <= cellOf(most * factor); ++cell) {
      const double edge = next < relativeEdges.size() ? hundredth(relativeEdges[next]) * factor : 0;
      const bool here = edge != 0 && cellOf(edge) == cell;
      const uint64_t index = cell - firstCell;
      addends[index] = here ? edgeAddend(index, row + next, edge) : plainAddend(index, row + next);
      next += here ? 1 : 0;
    }
  }
};
inline constexpr Table table;

} // namespace quotients

// The lookup table that finds the histogram column of an element by its absolute value. It is valid for one
// anchor, because the order of magnitude is anchor / absolute value.
struct SizeTable {
  // Bounds to which sizes of elements are clamped; this changes the column of no element.
  double least = 0, most = 0;
  uint64_t firstCell = 0;
  alignas(64) std::array<uint64_t, 336> addends{};
};

// The limits of a comparison, which lie at edges of histogram bins (Grid.h). They determine to which subset
// (discarded, passed or failed) all elements of a cell belong.
struct CellRule {
  // Indices of the bin edges that equal the two limits of the comparison.
  int32_t oomEdge = 0, relativeEdge = 0;
};
struct CellTables {
  SizeTable sizes;
  CellRule rule;
};
// Makes the lookup tables for the limits of a comparison. Empty if tables cannot be used: a limit is not the
// edge of a histogram bin, the comparison accepts elements that are a few 8-bit steps off, or the anchor is
// nearly zero or extremely large.
std::optional<CellTables> cellTablesFor(const Rule &rule);

} // namespace tilerig::verify
