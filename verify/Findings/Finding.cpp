#include "verify/Findings/Finding.h"

#include "isa/Base/CommandLine/TextTable.h"
#include "verify/Findings/MissingOrder.h"
#include "verify/Records/Render.h"

#include <fmt/core.h>

namespace tilerig::verify {

namespace {

bool isAboutMemory(const Problem &problem) { return problem.bytes.begin < problem.bytes.end; }

const Instruction *instructionAt(const Place &place, const Program &program) {
  if (place.host || place.stage >= program.stages.size())
    return nullptr;
  const auto *device = std::get_if<DeviceStage>(&program.stages[place.stage].work);
  return device ? &device->tiles[place.tile][place.instruction] : nullptr;
}

Json placeRecord(const Place &place, const Program &program) {
  Json record = Json::object();
  if (place.stage < program.stages.size()) {
    record["stage"] = program.stages[place.stage].name;
    record["stage_index"] = place.stage;
  }
  if (const Instruction *instruction = instructionAt(place, program)) {
    record["tile"] = place.tile;
    record["engine"] = EnumNames<Engine>::values[static_cast<size_t>(place.engine)];
    record["instruction"] = place.instruction;
    record["operation"] = mnemonicOf(*instruction);
    record["operand"] = place.operand.empty() ? Json() : Json(place.operand);
    const std::string layer = layerNameOf(place, program);
    record["layer"] = layer.empty() ? Json() : Json(layer);
    record["layer_id"] = layerNumber(place.layer);
  }
  record["words"] = describe(place, program);
  return record;
}

} // namespace

std::string_view nameOf(FoundBy by) { return by == FoundBy::analyser ? "analyser" : "trap"; }

Finding findingOf(const Problem &problem) {
  Finding finding{.kind = std::string(nameOf(problem.kind)), .text = problem.text, .places = problem.places};
  if (isAboutMemory(problem)) {
    finding.memory = problem.memory;
    finding.bytes = problem.bytes;
  }
  return finding;
}

std::string layerNameOf(const Place &place, const Program &program) {
  const auto &layers = program.metadata.layers();
  const bool isNamed = !place.host && place.layer < static_cast<uint32_t>(layers.size());
  return isNamed ? layers[static_cast<int>(place.layer)].name() : "";
}

Json findingRecord(const Finding &finding, const Program &program) {
  Json record = {
      {"record", "finding"}, {"by", nameOf(finding.by)}, {"kind", finding.kind}, {"reason", finding.text}};
  record["memory"] = finding.memory ? Json(describeMemory(*finding.memory)) : Json();
  record["bytes"] = finding.memory ? Json{finding.bytes.begin, finding.bytes.end - 1} : Json();
  record["cycle"] = finding.cycle ? Json(*finding.cycle) : Json();
  record["places"] = Json::array();
  for (const Place &place : finding.places)
    record["places"].push_back(placeRecord(place, program));
  return record;
}

std::string describeCounts(const Json &counts) {
  std::string text;
  for (const auto &[kind, count] : counts.items())
    text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", withSeparators(count.get<uint64_t>()), kind);
  return text;
}

std::string findingLines(const Json &record) {
  std::string lines = fmt::format("    {}: {}\n", record["kind"].get<std::string>(),
                                  inOneLine(record["reason"].get<std::string>()));
  for (const Json &place : record["places"])
    lines += "      at " + printable(place["words"].get<std::string>()) + "\n";
  for (const Json &clock : record.value("clocks", Json::array()))
    lines += "      " + inOneLine(clock["words"].get<std::string>()) + "\n";
  if (record.contains("missing_order"))
    lines += "      " + missingOrderLine(record["missing_order"]) + "\n";
  return lines;
}

} // namespace tilerig::verify
