// The grid without divisions: between which sizes of an element its order of magnitude changes column, and
// between which quotients of error and reference the relative error changes row.
//
// A rounded quotient never grows when its divisor does, and a rounded product never shrinks when its factor
// grows. So "anchor / x rounded is above an edge" holds up to some last x, and "q times 100 rounded is not
// above an edge" up to some last q; comparing with these asks the same question to the last bit. It takes
// limits that are edges, where the cell alone says in which subset its elements are.
#pragma once

#include "verify/Metrics/Element.h"
#include "verify/Metrics/Grid.h"

#include <optional>

namespace tilerig::verify {

// Cells as in GridLookup, counted from the first of a table. What is looked up is the bits of a double, less
// those of the table's first cell; out comes what the table says of the cell, and one more beyond the edge
// that lies in it.
inline constexpr int cellShift = 48;

constexpr uint64_t doubleBits(double number) { return std::bit_cast<uint64_t>(number); }
constexpr double doubleOf(uint64_t bits) { return std::bit_cast<double>(bits); }

// Beyond no edge.
constexpr uint64_t plainAddend(uint64_t cell, uint64_t value) { return (value - cell) << cellShift; }
// Carries where the rest of the fraction is above that of the edge.
constexpr uint64_t edgeAddend(uint64_t cell, uint64_t value, double edge) {
  constexpr uint64_t rest = (uint64_t{1} << cellShift) - 1;
  return plainAddend(cell, value) + rest - (doubleBits(edge) & rest);
}
[[gnu::always_inline]] inline uint64_t lookUp(const uint64_t *addends, uint64_t bits) {
  return (bits + addends[bits >> cellShift]) >> cellShift;
}

// Rows while counting, which depend on the quotient of error and reference: specials first, then what is too
// small, then what is too large, both by bins.
enum CountedRow : uint32_t { countedUndefined, countedBothZero, countedEqual, countedNegative };
inline constexpr uint32_t countedPositive = countedNegative + relativeBins;
inline constexpr size_t countedRows = countedPositive + relativeBins;
// Columns while counting: edges that are below, from the largest order of magnitude on.
inline constexpr size_t countedColumns = 64;

int32_t rowOfCounted(uint32_t row);
inline int32_t columnOfCounted(uint32_t column) { return static_cast<int32_t>(oomEdges.size() - column); }

// The table of quotients covers special cells, then negative quotients, as positive ones so many octaves
// smaller, then positive ones.
namespace quotients {

// The largest number that times 100 is not above the edge.
constexpr double hundredth(double edge) {
  uint64_t bits = doubleBits(edge / 100);
  while (doubleOf(bits) * 100 > edge)
    --bits;
  while (doubleOf(bits + 1) * 100 <= edge)
    ++bits;
  return doubleOf(bits);
}
constexpr uint64_t cellOf(double number) { return doubleBits(number) >> cellShift; }

// Quotients are put between these two, which changes no row.
inline constexpr double least = hundredth(relativeEdges.front());
inline constexpr double most = doubleOf(doubleBits(hundredth(relativeEdges.back())) + 1);
inline constexpr double negativeFactor = 0x1p-26;
static_assert(most * negativeFactor < least);
inline constexpr uint64_t firstCell = cellOf(least * negativeFactor) - countedNegative;
inline constexpr size_t numCells = cellOf(most) - firstCell + 1;

// Numbers that stand for what has no quotient, or the quotient 0.
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

// For one anchor: an element lies in the column beyond so many of these sizes.
struct SizeTable {
  double least = 0, most = 0; // sizes are put between these
  uint64_t firstCell = 0;
  alignas(64) std::array<uint64_t, 336> addends{};
};

// What a cell says of its subset.
struct CellRule {
  int32_t oomEdge = 0, relativeEdge = 0; // the edges that are the limits
};
struct CellTables {
  SizeTable sizes;
  CellRule rule;
};
// Nothing where limits lie between edges, eight bits excuse something, or the anchor is zero or next to it.
std::optional<CellTables> cellTablesFor(const Rule &rule);

} // namespace tilerig::verify
