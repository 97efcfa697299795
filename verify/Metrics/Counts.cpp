#include "verify/Metrics/Kernels.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace tilerig::verify {

namespace {

// The subset (discarded, passed or failed) to which all elements of a histogram cell belong, if both limits
// are edges of bins (Grid.h).
Subset subsetOfCell(int32_t row, int32_t column, const CellRule &rule) {
  if (column > rule.oomEdge)
    return Subset::discarded;
  const bool within = row != undefinedRow && (row == equalRow || binOfRow(row) <= rule.relativeEdge);
  return within ? Subset::passed : Subset::failed;
}

void settleCells(std::vector<uint16_t> &cells, const CellRule &rule, Plane &plane) {
  for (size_t cell = 0; cell < cells.size() / Counts::cellCopies; ++cell) {
    uint64_t count = 0;
    for (size_t copy = 0; copy < Counts::cellCopies; ++copy)
      count += cells[cell * Counts::cellCopies + copy];
    if (count == 0) // a shortcut, since nearly all cells of the histogram are empty
      continue;
    const auto countedRow = static_cast<uint32_t>(cell / countedColumns);
    const auto countedColumn = static_cast<uint32_t>(cell % countedColumns);
    const int32_t row = rowOfCounted(countedRow);
    const int32_t column = countedRow == countedBothZero ? bothZeroColumn : columnOfCounted(countedColumn);
    const auto sheet = static_cast<size_t>(subsetOfCell(row, column, rule));
    plane.counts[sheet * sheetSize + static_cast<size_t>(row) * gridColumns + static_cast<size_t>(column)] +=
        count;
  }
  std::ranges::fill(cells, uint16_t{0});
}

} // namespace

void Counts::settle() {
  settleCells(cells, cellRule, plane);
  mostInCell = 0;
  for (size_t cell = 0; cell < recent.size() / copies; ++cell)
    for (size_t copy = 0; copy < copies; ++copy)
      plane.counts[cell] += std::exchange(recent[cell * copies + copy], 0);
  recentElements = 0;
}

uint16_t *Counts::cellsFor(size_t elements) {
  const size_t inOneCopy = elements / cellCopies + elements % cellCopies;
  if (mostInCell + inOneCopy > std::numeric_limits<uint16_t>::max())
    settleCells(cells, cellRule, plane), mostInCell = 0;
  mostInCell += inOneCopy;
  return cells.data();
}

void Counts::add(const Counts &other) {
  auto addAll = [](auto &to, const auto &from) { std::ranges::transform(to, from, to.begin(), std::plus()); };
  different += other.different;
  nonFiniteAgreeing += other.nonFiniteAgreeing;
  nonFiniteDiffering += other.nonFiniteDiffering;
  reference.nan += other.reference.nan, reference.infinite += other.reference.infinite;
  target.nan += other.target.nan, target.infinite += other.target.infinite;
  addAll(plane.counts, other.plane.counts);
  addAll(ulps, other.ulps);
  addAll(bitsOff, other.bitsOff);
  referenceRails.low += other.referenceRails.low, referenceRails.high += other.referenceRails.high;
  targetRails.low += other.targetRails.low, targetRails.high += other.targetRails.high;
}

} // namespace tilerig::verify
