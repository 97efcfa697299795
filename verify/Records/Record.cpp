#include "verify/Records/Record.h"

#include "verify/Inputs/ThresholdsFile.h"
#include "verify/Metrics/Walk.h"

#include <fmt/core.h>

namespace tilerig::verify {

namespace {

Json number(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return value;
}
// NaN stands for a figure that is not there.
Json figure(double value) { return std::isnan(value) ? Json() : number(value); }

Json text(const std::string &value) { return value.empty() ? Json() : Json(value); }

// Without the zeros at its end.
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

// Of an element, complex numbers having one axis more.
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

Json worstJson(const Tensor &target, const Comparison &comparison) {
  Json list = Json::array();
  const Rule rule = ruleOf(comparison);
  for (const WorstElement &worst : comparison.worst) {
    // The difference of 64-bit integers may be less than their doubles show.
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

Json headOf(const TensorMatch &match, std::string_view status, const std::string &reason) {
  return {{"record", "layer"},
          {"name", match.name},
          {"layer", text(match.layer)},
          {"onnx_ops", match.onnxOps},
          {"where", text(match.where)},
          {"reference_name", text(match.reference)},
          {"target_name", text(match.target)},
          {"status", status},
          {"reason", reason}};
}

void addLimits(const Limits &limits, Json &json) {
  json["oom_limit"] = limits.oom;
  json["rel_err"] = limits.relativePercent;
  json["bit_off"] = limits.bitOff;
  json["output_type"] = outputTypeNames[static_cast<size_t>(limits.eightBit)];
  json["anchor"] = nameOf(limits.anchor);
}

void addCounts(const Comparison &c, Json &json) {
  json["different"] = c.different;
  json["passed"] = c.subsets.passed;
  json["failed"] = c.subsets.failed;
  json["discarded"] = c.subsets.discarded;
  json["excused"] = c.excused;
  json["undefined"] = c.undefined;
  json["reference_nan"] = c.referenceNonFinite.nan;
  json["reference_inf"] = c.referenceNonFinite.infinite;
  json["target_nan"] = c.targetNonFinite.nan;
  json["target_inf"] = c.targetNonFinite.infinite;
  json["non_finite_agreeing"] = c.nonFiniteAgreeing;
  json["non_finite_differing"] = c.nonFiniteDiffering;
}

void addFigures(const Comparison &c, Json &json) {
  json["anchor_value"] = number(c.anchor);
  json["largest_reference"] = number(c.largestReference);
  json["largest_target"] = number(c.largestTarget);
  json["max_abs"] = number(c.maxAbs);
  json["mean_abs"] = number(c.meanAbs);
  json["mean_error"] = number(c.meanError);
  json["rms"] = number(c.rms);
  json["cosine"] = figure(c.cosine);
  json["pearson"] = figure(c.pearson);
  json["sqnr_db"] = figure(c.sqnrDecibel);
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

std::string_view nameOf(Anchor anchor) {
  constexpr std::string_view names[] = {"max", "second", "rms"};
  return names[static_cast<size_t>(anchor)];
}

Json runRecord(const RunFacts &facts) {
  return {{"record", "run"},        {"version", recordsVersion},      {"reference", facts.reference},
          {"target", facts.target}, {"program", text(facts.program)}, {"thresholds", text(facts.thresholds)},
          {"map", text(facts.map)}, {"exact", facts.exact},           {"across_types", facts.acrossTypes}};
}

Json layerRecord(const TensorMatch &match, const Tensor &target, const Comparison &comparison) {
  Json json = headOf(match, nameOf(comparison.status), comparison.reason);
  json["dtype"] = nameOf(target.dtype());
  json["shape"] = target.shape();
  json["elements"] = comparison.elements;
  addLimits(comparison.limits, json);
  const TensorStatus status = comparison.status;
  if (status == TensorStatus::shapeMismatch || status == TensorStatus::dtypeMismatch ||
      status == TensorStatus::empty)
    return json;
  addCounts(comparison, json);
  addFigures(comparison, json);
  json["buckets"] = bucketsJson(comparison);
  json["ulps"] = histogramJson(comparison.ulps);
  json["bits_off"] = histogramJson(comparison.bitsOff);
  json["reference_rails"] = railsJson(comparison.referenceRails);
  json["target_rails"] = railsJson(comparison.targetRails);
  json["worst"] = worstJson(target, comparison);
  json["plane"] = planeJson(comparison.plane);
  return json;
}

Json missingRecord(const TensorMatch &match, const RunFacts &facts) {
  std::string reason = "is in neither file";
  if (!match.reference.empty())
    reason = fmt::format("{} lacks it", facts.target);
  else if (!match.target.empty())
    reason = fmt::format("{} lacks it", facts.reference);
  return headOf(match, nameOf(TensorStatus::missing), reason);
}

Json leftOutRecord(const LeftOut &leftOut) {
  return {{"record", "left_out"}, {"name", leftOut.name}, {"reason", leftOut.reason}};
}

Json summaryRecord(const std::vector<Json> &records) {
  Json statuses = Json::object();
  uint64_t layers = 0, leftOut = 0;
  for (const Json &record : records) {
    leftOut += record["record"] == "left_out";
    if (!isLayer(record))
      continue;
    ++layers;
    const std::string status = record["status"];
    statuses[status] = statuses.value(status, uint64_t{0}) + 1;
  }
  return {{"record", "summary"},
          {"match", allMatch(records)},
          {"layers", layers},
          {"left_out", leftOut},
          {"statuses", statuses}};
}

bool isLayer(const Json &record) { return record["record"] == "layer"; }
bool isMatch(const Json &layer) { return layer["status"] == nameOf(TensorStatus::match); }
bool allMatch(const std::vector<Json> &records) {
  return std::ranges::all_of(records, [](const Json &record) { return !isLayer(record) || isMatch(record); });
}

std::string asLine(const Json &record) {
  return record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace tilerig::verify
