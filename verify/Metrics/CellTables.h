// Lookup tables that find the cell of an element in the grid without divisions per edge: the sizes of an
// element at which its order of magnitude changes column, and the quotients of error and reference at which
// the relative error changes row.
//
// A rounded quotient is monotonic in its divisor, and a rounded product in its factor. So "anchor / x rounded
// is above an edge" holds up to some last x, and "q times 100 rounded is not above an edge" up to some last
// q. Comparing with these thresholds therefore gives exactly the same result. It requires limits that are
// edges of the grid, so that the cell alone determines the subset of its elements.
#pragma once

#include "verify/Metrics/Element.h"
#include "verify/Metrics/Grid.h"

#include <optional>

namespace tilerig::verify {

// Cells as in GridLookup, counted from the first cell of a table. The key is the bits of a double minus those
// of the table's first cell. The result is the table's value for the cell, plus one if the number is above
// the edge that lies in the cell.
inline constexpr int cellShift = 48;

constexpr uint64_t doubleBits(double number) { return std::bit_cast<uint64_t>(number); }
constexpr double doubleOf(uint64_t bits) { return std::bit_cast<double>(bits); }

// Addend of a cell without an edge.
constexpr uint64_t plainAddend(uint64_t cell, uint64_t value) { return (value - cell) << cellShift; }
// Addend of a cell with an edge: the addition carries if the rest of the fraction is above the edge's.
constexpr uint64_t edgeAddend(uint64_t cell, uint64_t value, double edge) {
  constexpr uint64_t rest = (uint64_t{1} << cellShift) - 1;
  return plainAddend(cell, value) + rest - (doubleBits(edge) & rest);
}
[[gnu::always_inline]] inline uint64_t lookUp(const uint64_t *addends, uint64_t bits) {
  return (bits + addends[bits >> cellShift]) >> cellShift;
}

// Rows while counting, by the quotient of error and reference: special cases first, then negative and
// positive relative errors, each by bins.
enum CountedRow : uint32_t { countedUndefined, countedBothZero, countedEqual, countedNegative };
inline constexpr uint32_t countedPositive = countedNegative + relativeBins;
inline constexpr size_t countedRows = countedPositive + relativeBins;
// Columns while counting: the number of edges that are passed, starting from the largest order of magnitude.
inline constexpr size_t countedColumns = 64;

int32_t rowOfCounted(uint32_t row);
inline int32_t columnOfCounted(uint32_t column) { return static_cast<int32_t>(oomEdges.size() - column); }

// Table of quotients: cells of the special cases, then negative quotients, stored as positive ones scaled
// down by 2^26, then positive quotients.
namespace quotients {

// The largest number whose product with 100 is not above the edge.
constexpr double hundredth(double edge) {
  uint64_t bits = doubleBits(edge / 100);
  while (doubleOf(bits) * 100 > edge)
    --bits;
  while (doubleOf(bits + 1) * 100 <= edge)
    ++bits;
  return doubleOf(bits);
}
constexpr uint64_t cellOf(double number) { return doubleBits(number) >> cellShift; }

// Quotients are clamped to these bounds, which changes no row.
inline constexpr double least = hundredth(relativeEdges.front());
inline constexpr double most = doubleOf(doubleBits(hundredth(relativeEdges.back())) + 1);
inline constexpr double negativeFactor = 0x1p-26;
static_assert(most * negativeFactor < least);
inline constexpr uint64_t firstCell = cellOf(least * negativeFactor) - countedNegative;
inline constexpr size_t numCells = cellOf(most) - firstCell + 1;

// Numbers that encode the special cases: no quotient, or the quotient 0.
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

// Table of sizes for one anchor: the column is the number of thresholds that the size exceeds.
struct SizeTable {
  double least = 0, most = 0; // sizes are clamped to these
  uint64_t firstCell = 0;
  alignas(64) std::array<uint64_t, 336> addends{};
};

// Determines the subset of a cell.
struct CellRule {
  int32_t oomEdge = 0, relativeEdge = 0; // indices of the edges that are the limits
};
struct CellTables {
  SizeTable sizes;
  CellRule rule;
};
// Empty if limits lie between edges, if differences of eight bits are excused, or if the anchor is near zero
// or near the largest double.
std::optional<CellTables> cellTablesFor(const Rule &rule);

} // namespace tilerig::verify
