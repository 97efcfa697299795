#include "verify/Check/CheckRecords.h"

#include "isa/Analyser/Analyser.h"
#include "isa/Base/CommandLine/TextTable.h"
#include "verify/Check/Headlines.h"
#include "verify/Check/InstructionPlaces.h"
#include "verify/Check/LostAccuracy.h"
#include "verify/Findings/ExplainOrder.h"
#include "verify/Records/Figures.h"
#include "verify/Records/Render.h"
#include "verify/Records/StatedWrongly.h"
#include "verify/Verdict/AttributionRecord.h"
#include "verify/Verdict/VerdictRecord.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <set>

namespace tilerig::verify {

namespace {

// Results of a comparison, as fields of a tensor's record. Only the comparison `truth` (device against
// original model) keeps its histogram for the report page, since histograms make records large.
Json figuresOf(const Tensor &target, const std::optional<Comparison> &comparison, bool withPlane) {
  if (!comparison)
    return nullptr;
  Json json = {{"status", nameOf(comparison->status)}, {"reason", comparison->reason}};
  addComparison(target, *comparison, json);
  if (!withPlane)
    json.erase("plane");
  return json;
}

// Adds to the record of a tensor the compiler's decisions on the tensor's layer, and the split of the tensor.
void addLayerFields(const Program &program, const CheckedTensor &tensor, Json &record) {
  const auto &placements = program.metadata.tensors();
  const auto placement = std::ranges::find(placements, tensor.match.name, &proto::Tensor::name);
  const proto::Layer &layer = program.metadata.layers(static_cast<int>(placement->layer()));
  record["kind"] = layer.kind();
  record["onnx_nodes"] = std::vector<std::string>(layer.onnx_nodes().begin(), layer.onnx_nodes().end());
  record["macs"] = layer.macs();
  Json decisions = Json::object();
  const std::map<std::string, std::string> sorted(layer.decisions().begin(), layer.decisions().end());
  for (const auto &[decision, reason] : sorted)
    decisions[decision] = reason;
  record["decisions"] = std::move(decisions);
  record["stored_type"] = placement->stored_type();
  if (placement->scale() != 0) {
    record["scale"] = placement->scale();
    record["zero_point"] = placement->zero_point();
  }
  record["seams"] = tensor.match.seams;
}

std::string textOf(const Json &field) { return field.is_string() ? printable(field.get<std::string>()) : ""; }

// What `tilerig bisect` has found, in lines.
std::string debugLines(const Json &debugged) {
  if (debugged.contains("error"))
    return "  the first failing layer was not found: " + textOf(debugged["error"]) + "\n";
  if (debugged["layer"].is_null())
    return "  no network that was made from the first nodes of the model fails\n";
  std::string lines = fmt::format(
      "  first failing layer: {} ({}), in the shortest network that fails, of the first {} of {} nodes\n",
      textOf(debugged["layer"]), textOf(debugged["onnx_op"]), debugged["shortest"].get<size_t>(),
      debugged["nodes"].get<size_t>());
  if (debugged["instructions"].is_array())
    lines += fmt::format("    made wrong by {} on tile {}, engine {}, instructions {} to {} of stage {}\n",
                         textOf(debugged["primitive"]), debugged["tile"].get<uint32_t>(),
                         textOf(debugged["engine"]), debugged["instructions"][0].get<uint32_t>(),
                         debugged["instructions"][1].get<uint32_t>() - 1, textOf(debugged["stage"]));
  if (debugged["reproducer"].is_string())
    lines += fmt::format("    a network of {} that fails in the same way: {}\n",
                         countText(debugged["reproducer_nodes"].get<uint64_t>(), "node", "nodes"),
                         textOf(debugged["reproducer"]));
  return lines;
}

std::string decibels(const Json &record, const char *comparison) {
  const Json inner = record.value(comparison, Json());
  if (!inner.is_object())
    return "-";
  const Json value = inner.value("sqnr_db", Json());
  return value.is_number() ? fmt::format("{:.1f}", value.get<double>())
         : value == "inf"  ? std::string("exact")
                           : "-";
}

std::string countCell(const Json &record, const char *field) {
  const Json value = record.value(field, Json());
  return value.is_number() ? withSeparators(value.get<uint64_t>()) : "-";
}

std::string injectionLine(const Json &injection) {
  const Json &caught = injection["caught"];
  const auto named = [](const Json &bug) {
    return fmt::format("{} ({})", printable(bug["text"].get<std::string>()), bug["class"].get<std::string>());
  };
  std::string bugs = named(injection);
  for (const Json &other : injection["others"])
    bugs += " and " + named(other);
  return fmt::format("  injected: {}; {}{}\n", bugs,
                     caught.is_null() ? std::string("neither the analyser nor a trap detected a bug")
                                      : fmt::format("detected by the {}: {}", caught["by"].get<std::string>(),
                                                    inOneLine(caught["what"].get<std::string>())),
                     injection["equivalent"] == true ? "; no bit of any tensor changes" : "");
}

// The lines printed below a wrong tensor: its verdict, and how many elements each bug class explains.
std::string verdictLineOf(const Json &record) {
  if (!record.contains("verdict"))
    return "";
  const Json &verdict = record["verdict"];
  std::string lines = "    " + inOneLine(verdictLine(verdict)) + "\n";
  if (!verdict["attribution"].is_null())
    lines += "    " + inOneLine(attributionLine(verdict["attribution"])) + "\n";
  return lines;
}

std::string titleOf(const Json &record) {
  const bool isOfModel = record["record"] == "emitted" || record["record"] == "rounded";
  return (isOfModel ? record["record"].get<std::string>() + " layer " : "") +
         printable(record["name"].get<std::string>());
}

std::string judgementOf(const Json &record) {
  return fmt::format("{}: {}\n", record["status"].get<std::string>(),
                     inOneLine(record["reason"].get<std::string>())) +
         verdictLineOf(record);
}

// Number of records directly after records[at] that have the same status and reason, such as those of all
// tensors that a run did not reach.
size_t alikeAfter(const std::vector<Json> &records, size_t at) {
  size_t end = at + 1;
  while (end < records.size() && isJudged(records[end]) && records[end]["record"] == records[at]["record"] &&
         judgementOf(records[end]) == judgementOf(records[at]))
    ++end;
  return end - at - 1;
}

std::string runLines(const Json &run) {
  std::string lines;
  if (run["injection"].is_object())
    lines += injectionLine(run["injection"]);
  for (const Json &warning : run.value("warnings", Json::array()))
    lines += fmt::format("  warning: {}\n", inOneLine(warning.get<std::string>()));
  if (run["not_finite"].is_string())
    lines += fmt::format("  note: {}: a bug in values computed from NaN or infinity can go unnoticed\n",
                         inOneLine(run["not_finite"].get<std::string>()));
  return lines;
}

std::string linesOf(const std::vector<Json> &records) {
  std::string lines;
  for (size_t i = 0; i < records.size(); ++i) {
    const Json &record = records[i];
    if (record["record"] == "run")
      lines += runLines(record);
    else if (isHeadline(record))
      continue;
    else if (isJudged(record) && !isMatch(record)) {
      const size_t more = alikeAfter(records, i);
      lines += fmt::format("  {}{}: {}", titleOf(record),
                           more ? fmt::format(" and {} more", more) : std::string(), judgementOf(record));
      i += more;
    } else if (record["record"] == "limit" && !isMatch(record))
      lines += fmt::format("  limit '{}' violated: {}\n", record["name"].get<std::string>(),
                           inOneLine(record["reason"].get<std::string>()));
    else if (record["record"] == "debug")
      lines += debugLines(record);
    else if (record["record"] == "accuracy")
      lines += describeAccuracy(record);
    else if (record["record"] == "verdict")
      lines += networkVerdictLines(record);
    else if (record["record"] == "baseline")
      lines += fmt::format("  {}: {}: was {}, is {}\n", printable(record["name"].get<std::string>()),
                           record["change"].get<std::string>(), record["before"].get<std::string>(),
                           record["now"].get<std::string>());
  }
  return lines;
}

} // namespace

std::optional<Json> programRecord(const CheckDescription &description, const CheckRun &run) {
  const std::vector<std::string> &faults = run.accumulated.faults;
  const bool isProved = run.notProved.empty();
  if (isProved && faults.empty())
    return std::nullopt;
  FindingCounts traps;
  for (const Finding &trap : run.accumulated.traps)
    ++traps[trap.kind];
  std::string reason;
  if (!isProved)
    reason = "the program is not proved free of races: " + inOneLine(run.notProved);
  if (!traps.empty())
    reason += fmt::format("{}the run had {}, the first: {}", reason.empty() ? "" : "; ",
                          countText(faults.size(), "fault", "faults"), inOneLine(faults.front()));
  return Json{{"record", "program"},
              {"name", description.program.empty() ? "the program" : description.program},
              {"status", faults.empty() ? "unproved" : "faulty"},
              {"reason", std::move(reason)},
              {"findings", run.counts},
              {"traps", traps}};
}

std::vector<Json> findingRecords(const CheckRun &run) {
  constexpr size_t explained = 3; // of each kind of problem, the number of findings that are explained
  const ProvedCause *cause = run.cause && run.cause->missing ? &*run.cause : nullptr;
  std::vector<Json> records;
  std::map<std::string, size_t> numOfKind;
  OrderExcerpts excerpts(run.program);
  FindingsContext context{run.program, run.counts, excerpts};
  if (cause) {
    context.missing = &*cause->missing;
    context.lacking = &*cause->lacking;
  }
  for (const auto *findings : {&run.findings, &run.accumulated.traps})
    for (const Finding &finding : *findings) {
      records.push_back(findingRecord(finding, run.program));
      const bool lacks = cause && finding.places == cause->lacking->places;
      if (finding.by == FoundBy::analyser && (++numOfKind[finding.kind] <= explained || lacks))
        explainOrder(finding, context, records.back());
    }
  return records;
}

Json checkRunRecord(const CheckDescription &description, const CheckRun &run) {
  Json record = {{"record", "run"},
                 {"version", recordsVersion},
                 {"command", "check"},
                 {"model", description.model},
                 {"precision", description.precision},
                 {"machine", description.machine},
                 {"tiles", description.tiles},
                 {"router_columns", run.program.machine.network.routerColumns},
                 {"inputs", description.inputs},
                 {"reference", description.model + ", as emitted"},
                 {"target", description.program.empty() ? "the emulated program" : description.program},
                 {"exact", true}};
  record["calibration"] = description.notes.empty() ? Json() : Json(description.notes);
  record["warnings"] = description.warnings;
  record["not_finite"] = description.notFinite.empty() ? Json() : Json(description.notFinite);
  record["by_beats"] = run.accumulated.byBeats.empty() ? Json() : Json(run.accumulated.byBeats);
  record["faults"] = run.accumulated.faults;
  record["isolated"] = run.isolated.has_value();
  record["not_timed"] = description.notTimed.empty() ? Json() : Json(description.notTimed);
  record["not_isolated"] = run.notIsolated.empty() ? Json() : Json(run.notIsolated);
  const auto &injected = run.program.metadata.injected();
  record["injected"] = std::vector<std::string>(injected.begin(), injected.end());
  record["injection"] = description.injection;
  return record;
}

Json checkedRecord(const Program &program, const CheckedTensor &tensor) {
  Json record = layerRecord(tensor.match, tensor.stored.target, tensor.comparison);
  addLayerFields(program, tensor, record);
  record["sources"] = tensor.sources;
  record["isolated"] = figuresOf(tensor.stored.target, tensor.isolated, false);
  record["noise"] = figuresOf(tensor.real.target, tensor.noise, false);
  record["truth"] = figuresOf(tensor.real.target, tensor.truth, true);
  addTiles(program, tensor.match.name, record);
  if (!isMatch(record))
    addInstructionPlaces(program, tensor.match.name, record);
  return record;
}

Json emittedRecord(const EmittedLayer &layer) {
  return {{"record", "emitted"},
          {"name", layer.name},
          {"sources", layer.sources},
          {"status", nameOf(layer.comparison.status)},
          {"reason", layer.comparison.reason},
          {"elements", layer.comparison.elements},
          {"max_abs", number(layer.comparison.maxAbs)},
          {"bound", number(layer.bound)},
          {"largest_reference", number(layer.comparison.largestReference)}};
}

Json roundedRecord(const RoundedLayer &layer) {
  return {{"record", "rounded"},          {"name", layer.name},
          {"kind", layer.kind},           {"status", nameOf(layer.status)},
          {"reason", layer.reason},       {"elements", layer.elements},
          {"worst", number(layer.worst)}, {"max_abs", number(layer.error)},
          {"bound", number(layer.bound)}, {"index", layer.index}};
}

// The table of tensors. If the compiler has emitted a layer wrongly, the tensor of the layer has the status
// "wrong as emitted" or "wrong as rounded". The table begins with wrongly emitted layers whose result is not
// a tensor of the program.
std::string asCheckTable(const std::vector<Json> &records) {
  using enum Align;
  Table table({{"tensor", left},
               {"where", left},
               {"status", left},
               {"elements", right},
               {"different", right},
               {"isolated", right},
               {"oracle dB", right},
               {"device dB", right}});
  const StatedWrongly stated = statedWrongly(records);
  std::set<std::string> tensors;
  for (const Json &record : records)
    if (isLayer(record))
      tensors.insert(record["name"]);
  for (const std::string &name : stated.names())
    if (!tensors.contains(name))
      table.add({name, "compiler", stated.statusOf(name), "-", "-", "-", "-", "-"});
  for (const Json &record : records) {
    if (!isLayer(record))
      continue;
    const Json isolated = record.value("isolated", Json());
    const std::string fault = isMatch(record) ? stated.statusOf(record["name"]) : "";
    table.add({record["name"], record["where"].is_string() ? record["where"].get<std::string>() : "-",
               fault.empty() ? record["status"].get<std::string>() : fault, countCell(record, "elements"),
               countCell(record, "different"), isolated.is_object() ? countCell(isolated, "different") : "-",
               decibels(record, "noise"), decibels(record, "truth")});
  }
  const std::string headlines = headlinesOf(records), lines = linesOf(records);
  return headlines + (headlines.empty() ? "" : "\n") + table.text() + (lines.empty() ? "" : "\n" + lines) +
         "\n" + summaryLine(records);
}

std::string asCheckLines(const std::vector<Json> &records) {
  return headlinesOf(records) + linesOf(records) + summaryLine(records);
}

static Json injectedIn(const Json &run) {
  if (run["injection"].is_object())
    return run["injection"];
  return run["injected"].empty() ? Json() : Json{{"bugs", run["injected"]}};
}

Json checkDocument(const std::vector<Json> &records) {
  const Json document = documentOf(records);
  // If a bug injected into a pass prevented the compilation or the run, there is no record of the run. The
  // record of the passes then names the injected bug.
  const Json run = document.value("run", Json::object());
  const Json injected =
      run.empty() ? document.value("passes", Json::object()).value("injection", Json()) : injectedIn(run);
  Json ordered = {{"match", document["match"]},
                  {"precision", run.value("precision", Json())},
                  {"layers", document["layers"]},
                  {"verdict", document.value("verdict", Json())},
                  {"injected", injected}};
  for (const auto &[key, value] : document.items())
    if (!ordered.contains(key))
      ordered[key] = value;
  return ordered;
}

} // namespace tilerig::verify
