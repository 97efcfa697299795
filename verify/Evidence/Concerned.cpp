#include "verify/Evidence/Concerned.h"

#include "verify/Evidence/Place.h"
#include "verify/Metrics/Walk.h"

#include <fmt/core.h>

namespace tilerig::verify {

namespace {

constexpr size_t mostRangesInWords = 6;

ConcernedAxis axisOf(const std::vector<bool> &isWrong) {
  ConcernedAxis axis;
  axis.size = isWrong.size();
  for (size_t i = 0; i < isWrong.size(); ++i) {
    if (!isWrong[i])
      continue;
    if (i > 0 && isWrong[i - 1])
      axis.ranges.back().last = i;
    else
      axis.ranges.push_back({i, i});
  }
  return axis;
}

size_t indicesIn(const ConcernedAxis &axis) {
  size_t count = 0;
  for (const IndexRange &range : axis.ranges)
    count += range.last - range.first + 1;
  return count;
}

std::string rangesInWords(const ConcernedAxis &axis) {
  std::string text;
  for (size_t i = 0; i < std::min(axis.ranges.size(), mostRangesInWords); ++i) {
    const auto [first, last] = axis.ranges[i];
    text += i ? ", " : "";
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  if (axis.ranges.size() > mostRangesInWords)
    text += fmt::format(", ... ({} indices)", indicesIn(axis));
  return text;
}

void addAxis(std::string &text, const char *name, const ConcernedAxis &axis) {
  if (axis.size <= 1)
    return;
  if (indicesIn(axis) == axis.size)
    text += fmt::format("; all {} {}", axis.size, name);
  else
    text += fmt::format("; {} {} of {}", name, rangesInWords(axis), axis.size);
}

} // namespace

Result<Concerned> findConcerned(const TensorStream &reference, const TensorStream &target,
                                const Comparison &comparison, bool everyDifference) {
  const Place place(target.shape(), comparison.elements, {});
  const bool hasImage = target.shape().size() > 2;
  std::vector<bool> channels(place.channels()), rows(place.height()), columns(hasImage ? place.width() : 1);
  uint64_t elements = 0;
  auto add = [&](size_t index, double r, double t, const Judgement &judged) {
    if (everyDifference ? nonFiniteAgree(r, t) : judged.subset != Subset::failed)
      return;
    const Place::Of at = place.of(index);
    ++elements;
    channels[at.channel] = true;
    rows[at.row] = true;
    columns[hasImage ? at.column : 0] = true;
  };
  TILERIG_CHECK_OK(walkElements(reference, target, comparison, add));
  return Concerned{elements, axisOf(channels), axisOf(rows), axisOf(columns)};
}

std::string inWords(const Concerned &concerned) {
  std::string text = fmt::format("{} element{}", concerned.elements, concerned.elements == 1 ? "" : "s");
  addAxis(text, "channels", concerned.channels);
  addAxis(text, "rows", concerned.rows);
  addAxis(text, "columns", concerned.columns);
  return text;
}

} // namespace tilerig::verify
