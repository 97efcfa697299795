#include "verify/Evidence/ByValues/Hypotheses.h"

#include <algorithm>
#include <cstdlib>

namespace tilerig::verify {

namespace {

// Number of wrong elements, evenly spaced, by which the best shift of the values is chosen.
constexpr size_t elementsToChoose = 256;
// Minimum share of a sample of the wrong elements that the best shift must explain.
constexpr double leastShareOfShift = 0.3;
constexpr int64_t mostRowsOff = 3, mostOff = 31;

struct Shift {
  int64_t rows = 0, columns = 0, channels = 0, memory = 0;
};

std::vector<Shift> shiftsOfImage() {
  std::vector<Shift> shifts;
  for (int64_t rows = -mostRowsOff; rows <= mostRowsOff; ++rows)
    for (int64_t columns = -mostRowsOff; columns <= mostRowsOff; ++columns)
      if (rows != 0 || columns != 0)
        shifts.push_back({.rows = rows, .columns = columns});
  return shifts;
}
std::vector<Shift> otherShifts() {
  std::vector<Shift> shifts;
  for (int64_t by = -mostOff; by <= mostOff; ++by) {
    if (by == 0)
      continue;
    shifts.push_back({.channels = by});
    shifts.push_back({.memory = by});
    if (std::abs(by) > mostRowsOff) {
      shifts.push_back({.rows = by});
      shifts.push_back({.columns = by});
    }
  }
  return shifts;
}

// Index of the element whose value a shift would bring to wrong element i; empty if that index lies outside
// the tensor.
std::optional<size_t> sourceOf(const ValueHypotheses &hypotheses, size_t i, const Shift &shift) {
  const Place::Axis height = hypotheses.place.heightAxis(), width = hypotheses.place.widthAxis(),
                    channel = hypotheses.place.channelAxis();
  const Place::Of &place = hypotheses.placeOf(i);
  const size_t index = hypotheses.element(i).index;
  const auto isWithin = [](size_t at, int64_t by, size_t size) {
    const int64_t moved = static_cast<int64_t>(at) + by;
    return moved >= 0 && moved < static_cast<int64_t>(size);
  };
  if (!isWithin(place.row % height.size, shift.rows, height.size) ||
      !isWithin(place.column, shift.columns, width.size) ||
      !isWithin(place.channel, shift.channels, channel.size))
    return {};
  const int64_t by = shift.memory + shift.rows * static_cast<int64_t>(height.stride) +
                     shift.columns * static_cast<int64_t>(width.stride) +
                     shift.channels * static_cast<int64_t>(channel.stride);
  if (!isWithin(index, by, hypotheses.wrong.reference.size()))
    return {};
  return static_cast<size_t>(static_cast<int64_t>(index) + by);
}

Fit fitOfShift(const ValueHypotheses &hypotheses, size_t i, const Shift &shift) {
  const std::optional<size_t> source = sourceOf(hypotheses, i, shift);
  const WrongElements &wrong = hypotheses.wrong;
  return source ? wrong.fitOf(hypotheses.element(i), wrong.reference[*source]) : Fit::none;
}
bool isShifted(const ValueHypotheses &hypotheses, size_t i, const Shift &shift) {
  return fitOfShift(hypotheses, i, shift) != Fit::none;
}

// The shift that explains the most elements of a sample of the wrong ones; empty if no shift explains enough.
// Targets at an end of the range, such as zeros, are ignored, because they would match at many shifts.
std::optional<Shift> bestOf(const ValueHypotheses &hypotheses, const std::vector<Shift> &shifts) {
  std::vector<size_t> some;
  for (size_t i = 0; i < hypotheses.count(); ++i)
    if (const WrongElement &element = hypotheses.element(i);
        ValueHypotheses::isFinite(element) && !hypotheses.ends.isAt(element.target))
      some.push_back(i);
  const size_t used = std::min(elementsToChoose, some.size());
  std::optional<Shift> best;
  size_t most = static_cast<size_t>(leastShareOfShift * static_cast<double>(used));
  for (const Shift &shift : shifts) {
    size_t hits = 0;
    for (size_t i = 0; i < used; ++i)
      hits += isShifted(hypotheses, some[i * some.size() / used], shift);
    if (hits > most)
      most = hits, best = shift;
  }
  return best;
}

// Whether the whole image is shifted: wrong elements are in nearly all rows, columns and channels, and nearly
// all of them have the reference value of the element that the shift moves to them.
bool isOfWholeImage(const ValueHypotheses &hypotheses, const Shift &shift) {
  const Place &place = hypotheses.place;
  std::vector<bool> rows(place.height()), columns(place.width()), channels(place.channels());
  size_t withSource = 0, explained = 0;
  for (size_t i = 0; i < hypotheses.count(); ++i) {
    const Place::Of &at = hypotheses.placeOf(i);
    rows[at.row] = columns[at.column] = channels[at.channel] = true;
    withSource += sourceOf(hypotheses, i, shift).has_value();
    explained += isShifted(hypotheses, i, shift);
  }
  const auto isFull = [](const std::vector<bool> &marks) {
    return 10 * std::ranges::count(marks, true) >= 9 * static_cast<ptrdiff_t>(marks.size());
  };
  return isFull(rows) && isFull(columns) && isFull(channels) && 10 * explained >= 9 * withSource;
}

void explainTransposition(ValueHypotheses &hypotheses, Feature feature, size_t rows, size_t columns) {
  const size_t matrix = rows * columns;
  if (rows < 2 || columns < 2)
    return;
  const WrongElements &wrong = hypotheses.wrong;
  for (const auto &[inner, outer] : {std::pair(rows, columns), std::pair(columns, rows)})
    hypotheses.add(feature, [&](size_t i) {
      const WrongElement &element = hypotheses.element(i);
      const size_t at = element.index % matrix, first = element.index - at;
      return wrong.fitOf(element, wrong.reference[first + at % inner * outer + at / inner]);
    });
}

} // namespace

void explainShifts(ValueHypotheses &hypotheses) {
  if (const std::optional<Shift> best = bestOf(hypotheses, shiftsOfImage())) {
    const bool isWhole = isOfWholeImage(hypotheses, *best);
    // If the whole image is shifted, some elements would have to come from outside the image. They count as
    // nearly explained, whatever their value is.
    hypotheses.add(isWhole ? Feature::replayShiftedInput : Feature::bestLag, [&](size_t i) {
      return isWhole && !sourceOf(hypotheses, i, *best) ? Fit::near : fitOfShift(hypotheses, i, *best);
    });
  }
  if (const std::optional<Shift> best = bestOf(hypotheses, otherShifts()))
    hypotheses.add(Feature::bestLag, [&](size_t i) { return fitOfShift(hypotheses, i, *best); });
}

void explainTranspositions(ValueHypotheses &hypotheses) {
  const Place &place = hypotheses.place;
  explainTransposition(hypotheses, Feature::transposed, place.heightAxis().size, place.widthAxis().size);
  const Place::Axis channels = place.channelAxis();
  if (channels.stride > 1)
    explainTransposition(hypotheses, Feature::channelsLast, channels.size, channels.stride);
}

} // namespace tilerig::verify
