#include "verify/Metrics/CellTables.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

// An edge of a histogram bin is an order of magnitude, anchor / absolute value of an element (Grid.h).
// Returns the largest absolute value whose order of magnitude is above the edge.
double lastAbove(double anchor, double edge) {
  uint64_t bits = doubleBits(anchor / edge);
  while (anchor / doubleOf(bits) <= edge)
    --bits;
  while (anchor / doubleOf(bits + 1) > edge)
    ++bits;
  return doubleOf(bits);
}

SizeTable sizesFor(double anchor) {
  SizeTable table;
  table.least = lastAbove(anchor, oomEdges.back());
  table.most = doubleOf(doubleBits(lastAbove(anchor, oomEdges.front())) + 1);
  table.firstCell = doubleBits(table.least) >> cellShift;
  size_t passed = 0;
  const uint64_t lastCell = doubleBits(table.most) >> cellShift;
  for (uint64_t cell = table.firstCell; cell <= lastCell; ++cell) {
    const uint64_t index = cell - table.firstCell;
    uint64_t &addend = table.addends.at(index);
    addend = plainAddend(index, passed);
    if (passed == oomEdges.size())
      continue;
    const double edge = lastAbove(anchor, oomEdges[oomEdges.size() - 1 - passed]);
    if (doubleBits(edge) >> cellShift == cell)
      addend = edgeAddend(index, passed++, edge);
  }
  return table;
}

template <class Edges>
std::optional<int32_t> edgeAt(const Edges &edges, double limit) {
  const auto position = std::ranges::find(edges, limit);
  if (position == edges.end())
    return std::nullopt;
  return static_cast<int32_t>(position - edges.begin());
}

} // namespace

int32_t rowOfCounted(uint32_t row) {
  if (row == countedUndefined)
    return undefinedRow;
  if (row == countedBothZero || row == countedEqual)
    return equalRow;
  const bool negative = row < countedPositive;
  return rowOfBin(static_cast<int32_t>(row - (negative ? countedNegative : countedPositive)), negative);
}

std::optional<CellTables> cellTablesFor(const Rule &rule) {
  const auto oomEdge = edgeAt(oomEdges, rule.oomLimit);
  const auto relativeEdge = edgeAt(relativeEdges, rule.relativePercent);
  // The order of magnitude is the anchor divided by an element. If the anchor lies within these bounds, the
  // quotients neither overflow nor lose bits.
  const bool far = rule.anchor > 0x1p-900 && rule.anchor < 0x1p1000;
  if (rule.eightBit || !oomEdge || !relativeEdge || !far)
    return std::nullopt;
  return CellTables{sizesFor(rule.anchor), {*oomEdge, *relativeEdge}};
}

} // namespace tilerig::verify
