#include "verify/Records/Record.h"

#include "verify/Records/Figures.h"

#include <fmt/core.h>

namespace tilerig::verify {

namespace {

// Kinds of records that are judged, but are not about a tensor of the run: about a layer of the emitted ONNX
// model, or about a further step of a loop.
constexpr const char *otherKinds[] = {"emitted", "rounded", "step"};

Json text(const std::string &value) { return value.empty() ? Json() : Json(value); }

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

} // namespace

std::string_view nameOf(Anchor anchor) {
  constexpr std::string_view names[] = {"max", "second", "rms"};
  return names[static_cast<size_t>(anchor)];
}

Json runRecord(const RunDescription &description) {
  return {{"record", "run"},
          {"version", recordsVersion},
          {"reference", description.reference},
          {"target", description.target},
          {"program", text(description.program)},
          {"thresholds", text(description.thresholds)},
          {"map", text(description.map)},
          {"exact", description.exact},
          {"across_types", description.acrossTypes}};
}

Json layerRecord(const TensorMatch &match, const TensorStream &target, const Comparison &comparison) {
  Json json = headOf(match, nameOf(comparison.status), comparison.reason);
  json["dtype"] = nameOf(target.dtype());
  json["shape"] = target.shape();
  addComparison(target, comparison, json);
  return json;
}

Json missingRecord(const TensorMatch &match, const RunDescription &description) {
  std::string reason = "neither file contains this tensor";
  if (!match.reference.empty())
    reason = fmt::format("{} does not contain this tensor", description.target);
  else if (!match.target.empty())
    reason = fmt::format("{} does not contain this tensor", description.reference);
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
  Json summary = {{"record", "summary"},
                  {"match", allMatch(records)},
                  {"layers", layers},
                  {"left_out", leftOut},
                  {"statuses", statuses}};
  for (const Json &record : records)
    if (record["record"] == "passes") {
      summary["passes"] = record["checked"];
      summary["passes_wrong"] = isMatch(record) ? 0 : 1;
      summary["passes_not_judged"] = record["skipped"].size() + record["not_judged"].size();
    }
  for (const std::string kind : otherKinds) {
    const auto isOne = [&](const Json &record) { return record["record"] == kind; };
    if (const auto count = std::ranges::count_if(records, isOne)) {
      summary[kind] = count;
      summary[kind + "_wrong"] = std::ranges::count_if(
          records, [&](const Json &record) { return isOne(record) && !isMatch(record); });
    }
  }
  return summary;
}

bool isLayer(const Json &record) { return record["record"] == "layer"; }
bool isJudged(const Json &record) {
  return isLayer(record) || record["record"] == "program" || record["record"] == "passes" ||
         std::ranges::find(otherKinds, record["record"]) != std::end(otherKinds);
}
bool isMatch(const Json &judged) { return judged["status"] == nameOf(TensorStatus::match); }
bool allMatch(const std::vector<Json> &records) {
  return std::ranges::any_of(records, isLayer) && std::ranges::all_of(records, [](const Json &record) {
           return !isJudged(record) || isMatch(record);
         });
}

std::string asLine(const Json &record) {
  return record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace tilerig::verify
