#include "verify/Records/Figures.h"

#include "verify/Inputs/ThresholdsFile.h"
#include "verify/Metrics/Walk.h"
#include "verify/Records/Record.h"

#include <cstdlib>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

// A histogram as a JSON list without the zeros at its end; null if there is no histogram.
template <class Histogram>
Json histogramJson(const std::optional<Histogram> &histogram) {
  if (!histogram)
    return nullptr;
  auto last = std::find_if(histogram->rbegin(), histogram->rend(), [](uint64_t count) { return count > 0; });
  return std::vector<uint64_t>(histogram->begin(), last.base());
}

Json bucketsJson(const Comparison &comparison) {
  Json buckets = Json::array();
  for (size_t i = 0; i < comparison.buckets.size(); ++i)
    buckets.push_back({{"up_to", i < bucketEdges.size() ? Json(bucketEdges[i]) : Json()},
                       {"all", comparison.buckets[i]},
                       {"in_limit", comparison.bucketsInLimit[i]}});
  return buckets;
}

Json railsJson(const std::optional<Rails> &rails) {
  return rails ? Json{{"low", rails->low}, {"high", rails->high}} : Json();
}

// Index of an element along each axis. For complex tensors, whose parts are the elements, there is one more
// axis.
std::vector<int64_t> positionOf(uint64_t index, Shape shape, uint64_t elements) {
  uint64_t count = 1;
  for (int64_t size : shape)
    count *= static_cast<uint64_t>(size);
  if (count != elements)
    shape.push_back(2);
  std::vector<int64_t> position(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    position[axis] = static_cast<int64_t>(index % static_cast<uint64_t>(shape[axis]));
    index /= static_cast<uint64_t>(shape[axis]);
  }
  return position;
}

Json worstJson(const TensorStream &target, const Comparison &comparison) {
  Json list = Json::array();
  const Rule rule = ruleOf(comparison);
  for (const WorstElement &worst : comparison.worst) {
    // The error was computed before the conversion to doubles, because 64-bit integers may differ although
    // their doubles are equal.
    const double difference = std::copysign(worst.absolute, worst.target - worst.reference);
    const Judgement judged = judge(worst.reference, worst.target, difference, rule);
    list.push_back({{"index", worst.index},
                    {"position", positionOf(worst.index, target.shape(), comparison.elements)},
                    {"reference", number(worst.reference)},
                    {"target", number(worst.target)},
                    {"abs", number(worst.absolute)},
                    {"oom", number(judged.oom)},
                    {"rel", number(judged.relative)}});
  }
  return list;
}

void addLimits(const Limits &limits, Json &json) {
  json["oom_limit"] = number(limits.oom);
  json["rel_err"] = number(limits.relativePercent);
  json["bit_off"] = number(limits.bitOff);
  json["output_type"] = outputTypeNames[static_cast<size_t>(limits.eightBit)];
  json["anchor"] = nameOf(limits.anchor);
}

// Adds to the record: the anchor, a number with which the sizes of elements are compared, and the largest
// elements of both tensors.
void addScales(const Comparison &comparison, Json &json) {
  json["anchor_value"] = number(comparison.anchor);
  json["largest_reference"] = number(comparison.largestReference);
  json["largest_target"] = number(comparison.largestTarget);
}

template <MetricKind kind>
Json metricJson(MetricType<kind> value) {
  if constexpr (kind == MetricKind::count)
    return value;
  else
    return kind == MetricKind::optional ? figure(value) : number(value);
}

void addMetrics(const Comparison &comparison, Json &json) {
#define METRIC(field, kind, key, heading, tables) json[key] = metricJson<MetricKind::kind>(comparison.field);
#include "verify/Metrics/Metrics.def"
}

Json planeJson(const Plane &plane) {
  Json cells = Json::array();
  for (size_t row = 0; row < gridRows; ++row)
    for (size_t column = 0; column < gridColumns; ++column)
      if (plane.total(row, column))
        cells.push_back({row, column, plane.limited(row, column), plane.excused(row, column)});
  return cells;
}

} // namespace

Json number(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return value;
}
Json shortNumber(double value) {
  return std::isfinite(value) ? Json(std::strtod(fmt::format("{:.2e}", value).c_str(), nullptr))
                              : number(value);
}
Json figure(double value) { return std::isnan(value) ? Json() : number(value); }

void addComparison(const TensorStream &target, const Comparison &comparison, Json &json) {
  // the number of elements is recorded even if the tensors cannot be compared
  json["elements"] = comparison.elements;
  addLimits(comparison.limits, json);
  const TensorStatus status = comparison.status;
  if (status == TensorStatus::shapeMismatch || status == TensorStatus::dtypeMismatch ||
      status == TensorStatus::empty)
    return;
  addScales(comparison, json);
  addMetrics(comparison, json);
  json["buckets"] = bucketsJson(comparison);
  json["ulps"] = histogramJson(comparison.ulps);
  json["bits_off"] = histogramJson(comparison.bitsOff);
  json["reference_rails"] = railsJson(comparison.referenceRails);
  json["target_rails"] = railsJson(comparison.targetRails);
  json["worst"] = worstJson(target, comparison);
  json["plane"] = planeJson(comparison.plane);
}

} // namespace tilerig::verify
