#include "verify/Evidence/Picture.h"

#include "verify/Evidence/Letters.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <utility>

namespace tilerig::verify {

namespace {

constexpr Colour black = {0, 0, 0}, grey = {90, 90, 90};
constexpr size_t plotWidth = gridColumns * cellWidth, plotHeight = gridRows * cellHeight;
constexpr size_t plotRight = plotLeft + plotWidth, plotBottom = plotTop + plotHeight;
constexpr size_t rightMargin = 96, bottomMargin = 40, tickLength = 4;
// Bottom and top edge, in pixels, of the picture's row of equal elements. The bins of negative errors lie
// below it, those of positive errors above.
constexpr size_t equalBottom = plotBottom - equalRow * cellHeight, equalTop = equalBottom - cellHeight;

// Number of pixels that the bins within a limit take. If the limit lies inside a bin, it is drawn inside the
// bin, never on the bin's edge. The last bin has no upper end, so a limit in it only approaches the end that
// is drawn.
template <class Edges>
size_t pixelsWithin(const Edges &edges, double limit, size_t pixelsPerBin) {
  const auto above = std::ranges::lower_bound(edges, limit);
  const auto bin = static_cast<size_t>(above - edges.begin());
  if (above != edges.end() && *above == limit)
    return (bin + 1) * pixelsPerBin;
  if (limit == 0)
    return 0;
  const double share = bin == 0 ? limit / edges.front()
                       : bin == edges.size()
                           ? 1 - edges.back() / limit
                           : std::log(limit / edges[bin - 1]) / std::log(*above / edges[bin - 1]);
  const auto pixels = static_cast<size_t>(share * static_cast<double>(pixelsPerBin) + 0.5);
  return bin * pixelsPerBin + std::clamp<size_t>(pixels, 1, pixelsPerBin - 1);
}

// Position of both limits of the comparison in the picture, in pixels. The limit of the order of magnitude is
// measured from the left edge of the plot. The limit of the relative error is measured upwards and downwards
// from the row of equal elements.
struct Cut {
  size_t across, beyondEqual;

  explicit Cut(const Limits &limits)
      : across(pixelsWithin(oomEdges, limits.oom, cellWidth)),
        beyondEqual(pixelsWithin(relativeEdges, limits.relativePercent, cellHeight)) {}
};

struct Rectangle {
  size_t left, top, width, height;
};

Rectangle cellAt(size_t row, size_t column) {
  return {plotLeft + column * cellWidth, plotTop + (gridRows - 1 - row) * cellHeight, cellWidth, cellHeight};
}

// Number of pixel columns of a histogram cell that are within the limit of the order of magnitude.
size_t columnsWithin(size_t column, const Cut &cut) {
  return std::clamp(cut.across, column * cellWidth, (column + 1) * cellWidth) - column * cellWidth;
}
// Number of pixel rows of a histogram cell that are within the limit of the relative error.
size_t rowsWithin(size_t row, const Cut &cut) {
  if (row == equalRow || row == undefinedRow)
    return row == equalRow ? cellHeight : 0;
  const size_t begin = static_cast<size_t>(binOfRow(static_cast<int32_t>(row))) * cellHeight;
  return std::clamp(cut.beyondEqual, begin, begin + cellHeight) - begin;
}

// The part of a histogram cell in which a subset of its elements (discarded, passed or failed) is drawn. The
// limits of the comparison divide the cell into these parts. Elements may pass beyond the limits, because
// they are only a few 8-bit steps off; if passed elements have no part of their own, they are drawn in the
// whole cell.
Rectangle partOf(Subset subset, size_t row, size_t column, const Cut &cut) {
  const Rectangle cell = cellAt(row, column);
  Rectangle part = cell;
  const size_t width = columnsWithin(column, cut), height = rowsWithin(row, cut);
  if (subset == Subset::discarded) {
    part.left += width;
    part.width -= width;
  } else {
    const bool passed = subset == Subset::passed, upwards = row >= equalRow;
    part.width = width;
    part.height = passed ? height : cellHeight - height;
    part.top += passed == upwards ? cellHeight - part.height : 0;
  }
  return part.width > 0 && part.height > 0 ? part : cell;
}

// Darkness of a dot in the picture, from 5 to 16, on a logarithmic scale of the dot's number of elements
// relative to the largest such number.
unsigned darkness(uint64_t count, uint64_t most) {
  const auto bits = static_cast<unsigned>(std::bit_width(count)),
             all = static_cast<unsigned>(std::bit_width(most));
  return 5 + 11 * bits / std::max(all, 1u);
}

Colour onWhite(Colour colour, unsigned darkness) {
  auto mixed = [&](uint8_t part) { return static_cast<uint8_t>(255 - (255 - part) * darkness / 16); };
  return {mixed(colour.red), mixed(colour.green), mixed(colour.blue)};
}

uint64_t fullestCell(const Plane &plane) {
  uint64_t most = 0;
  for (size_t row = 0; row < gridRows; ++row)
    for (size_t column = 0; column < gridColumns; ++column)
      most = std::max(most, plane.total(row, column));
  return most;
}

void fill(Canvas &canvas, const Rectangle &area, Colour colour) {
  canvas.fill(area.left, area.top, area.width, area.height, colour);
}

// Draws the cells of each subset (discarded, passed and failed elements), the failed elements last, so that
// they stay visible where dots overlap.
void drawCells(const Plane &plane, const Cut &cut, Canvas &canvas) {
  constexpr std::pair<Subset, Colour> subsets[] = {
      {Subset::discarded, discardedColour}, {Subset::passed, passedColour}, {Subset::failed, failedColour}};
  const uint64_t most = fullestCell(plane);
  for (size_t row = 0; row < gridRows; ++row)
    for (size_t column = 0; column < gridColumns; ++column)
      for (const auto &[subset, colour] : subsets)
        if (plane.inSubset(subset, row, column))
          fill(canvas, partOf(subset, row, column, cut),
               onWhite(colour, darkness(plane.total(row, column), most)));
}

void drawLimits(const Limits &limits, const Cut &cut, Canvas &canvas) {
  canvas.fill(plotLeft + cut.across, plotTop, 1, plotHeight, black);
  const size_t upper = equalTop - cut.beyondEqual - 1, lower = equalBottom + cut.beyondEqual;
  canvas.fill(plotLeft, upper, plotWidth, 1, black);
  canvas.fill(plotLeft, lower, plotWidth, 1, black);

  const std::string across = fmt::format("{:g}", limits.oom);
  canvas.text(plotLeft + cut.across - std::min(cut.across, widthOfText(across) / 2), plotTop - 11, across,
              black);
  const std::string percent = fmt::format("{:g} %", limits.relativePercent);
  canvas.text(plotRight + 4, upper - letterHeight, "+" + percent, black);
  canvas.text(plotRight + 4, lower + 2, "-" + percent, black);
}

void labelAcross(size_t x, std::string_view words, Canvas &canvas) {
  canvas.fill(x, plotBottom, 1, tickLength, grey);
  canvas.text(x - widthOfText(words) / 2, plotBottom + tickLength + 3, words, black);
}
void labelDown(size_t y, std::string_view words, Canvas &canvas) {
  canvas.fill(plotLeft - tickLength, y, tickLength, 1, grey);
  canvas.text(plotLeft - tickLength - 2 - widthOfText(words), y - letterHeight / 2 + 1, words, black);
}

bool isDecade(size_t edge) { return edge % gridSteps.size() == 0; }

void drawAxes(Canvas &canvas) {
  for (size_t edge = 0; edge < oomEdges.size(); ++edge)
    if (isDecade(edge))
      labelAcross(plotLeft + (edge + 1) * cellWidth, fmt::format("{}", oomEdges[edge]), canvas);
  // Labels every second power of ten of the relative error, as there is no space for more labels.
  for (size_t edge = gridSteps.size(); edge < relativeEdges.size(); ++edge)
    if (isDecade(edge) && (edge / gridSteps.size()) % 2 == 1) {
      const size_t distance = (edge + 1) * cellHeight;
      labelDown(equalTop - distance, fmt::format("+{} %", relativeEdges[edge]), canvas);
      labelDown(equalBottom + distance, fmt::format("-{} %", relativeEdges[edge]), canvas);
    }
  labelDown(equalTop + cellHeight / 2, "equal", canvas);
  // The label "undefined" stands above the row of undefined errors, because the largest number stands beside
  // that row.
  canvas.text(plotLeft - 2 - widthOfText("undefined"), plotTop - letterHeight, "undefined", black);

  constexpr std::string_view right = "order of magnitude", up = "relative error", both = "both zero";
  const size_t titleTop = plotBottom + 24;
  canvas.text(plotLeft + (plotWidth - widthOfText(right)) / 2, titleTop, right, black);
  canvas.uprightText(2, plotTop + (plotHeight - widthOfText(up)) / 2, up, black);
  canvas.fill(plotRight - cellWidth / 2, plotBottom, 1, tickLength, grey);
  canvas.text(plotRight - cellWidth / 2 - widthOfText(both) / 2, titleTop, both, black);
}

void drawFrame(Canvas &canvas) {
  canvas.fill(plotLeft - 1, plotTop - 1, plotWidth + 2, 1, grey);
  canvas.fill(plotLeft - 1, plotBottom, plotWidth + 2, 1, grey);
  canvas.fill(plotLeft - 1, plotTop, 1, plotHeight, grey);
  canvas.fill(plotRight, plotTop, 1, plotHeight, grey);
}

void drawLegend(const SubsetCounts &counts, Canvas &canvas) {
  size_t x = plotLeft;
  const std::tuple<std::string_view, uint64_t, Colour> entries[] = {
      {"passed", counts.passed, passedColour},
      {"failed", counts.failed, failedColour},
      {"discarded", counts.discarded, discardedColour}};
  for (const auto &[name, count, colour] : entries) {
    canvas.fill(x, 5, 7, 7, colour);
    const std::string words = fmt::format("{} {}", name, count);
    canvas.text(x + 10, 5, words, black);
    x += 10 + widthOfText(words) + 3 * letterStep;
  }
}

} // namespace

Picture drawPicture(const Comparison &comparison) {
  Canvas canvas(plotRight + rightMargin, plotBottom + bottomMargin);
  const Cut cut(comparison.limits);
  drawCells(comparison.plane, cut, canvas);
  drawFrame(canvas);
  drawLimits(comparison.limits, cut, canvas);
  drawAxes(canvas);
  drawLegend(comparison.subsets(), canvas);
  return std::move(canvas.picture);
}

} // namespace tilerig::verify
