#include "verify/Inputs/ThresholdsFile.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Nearest.h"
#include "isa/Base/Support/StrictJson.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

// Reads a number of a thresholds file, if the file contains it.
Status readNumber(const JsonPlace &field, double least, std::optional<double> &number) {
  if (field) {
    TILERIG_TRY(number, field.number(least));
  }
  return success();
}

Result<LimitChanges> readChanges(const JsonPlace &limits) {
  TILERIG_CHECK_OK(limits.expectObject({"oom_limit", "rel_err", "bit_off", "output_type"}));
  LimitChanges changes;
  TILERIG_CHECK_OK(readNumber(limits.at("oom_limit"), leastOomLimit, changes.oom));
  TILERIG_CHECK_OK(readNumber(limits.at("rel_err"), 0, changes.relativePercent));
  TILERIG_CHECK_OK(readNumber(limits.at("bit_off"), 0, changes.bitOff));
  if (const JsonPlace type = limits.at("output_type")) {
    TILERIG_TRY(const size_t index, type.indexIn(outputTypeNames));
    changes.eightBit = static_cast<EightBit>(index);
  }
  return changes;
}

Status readTypes(const JsonPlace &types, Thresholds &thresholds) {
  TILERIG_CHECK_OK(types.expectObject());
  for (const auto &[name, value] : types.value->items()) {
    const JsonPlace limits = types.member(name, value);
    const auto type = dtypeNamed(name);
    if (!type)
      return limits.refuse("unknown element type", "use a name of numpy, such as float32, or bfloat16");
    TILERIG_TRY(thresholds.types[*type], readChanges(limits));
  }
  return success();
}

Status readLayers(const JsonPlace &layers, Thresholds &thresholds) {
  TILERIG_CHECK_OK(layers.expectObject());
  for (const auto &[name, limits] : layers.value->items()) {
    TILERIG_TRY(thresholds.layers[name], readChanges(layers.member(name, limits)));
  }
  return success();
}

} // namespace

void LimitChanges::apply(Limits &limits) const {
  limits.oom = oom.value_or(limits.oom);
  limits.relativePercent = relativePercent.value_or(limits.relativePercent);
  limits.bitOff = bitOff.value_or(limits.bitOff);
  limits.eightBit = eightBit.value_or(limits.eightBit);
}

Limits Thresholds::limitsFor(Limits limits, DType type, const std::string &tensor,
                             const std::string &layer) const {
  if (auto entry = types.find(type); entry != types.end())
    entry->second.apply(limits);
  for (const std::string &name : {layer, tensor})
    if (auto entry = layers.find(name); entry != layers.end())
      entry->second.apply(limits);
  return limits;
}

Status Thresholds::checkNames(const std::set<std::string> &names) const {
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const auto &[name, limits] : layers)
    if (!names.contains(name))
      return invalidInput(place + ": layers." + name, "no tensor or layer has this name",
                          suggestion(name, known));
  return success();
}

Result<Thresholds> parseThresholds(const std::string &text, const std::string &place) {
  TILERIG_TRY(const Json json, parseStrictJson(text, place));
  const JsonPlace file{&json, place};
  TILERIG_CHECK_OK(file.expectFileType("Thresholds"));
  TILERIG_CHECK_OK(file.expectObject({"file_type", "dtypes", "layers"}));
  Thresholds thresholds;
  thresholds.place = place;
  if (const JsonPlace types = file.at("dtypes"))
    TILERIG_CHECK_OK(readTypes(types, thresholds));
  if (const JsonPlace layers = file.at("layers"))
    TILERIG_CHECK_OK(readLayers(layers, thresholds));
  return thresholds;
}

Result<Thresholds> readThresholds(const std::string &path) {
  TILERIG_TRY(const std::string text, readText(path));
  return parseThresholds(text, path);
}

} // namespace tilerig::verify
