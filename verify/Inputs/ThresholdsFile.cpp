#include "verify/Inputs/ThresholdsFile.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Nearest.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

Status readNumber(const JsonPlace &limits, const char *key, double least, std::optional<double> &number) {
  if (!limits.value.contains(key))
    return success();
  const JsonPlace place = limits.at(key);
  if (!place.value.is_number() || !(place.value.get<double>() >= least))
    return place.refuse(fmt::format("expected a number of at least {}", least));
  number = place.value.get<double>();
  return success();
}

Result<LimitChanges> readChanges(const JsonPlace &limits) {
  constexpr std::array<std::string_view, 4> known = {"oom_limit", "rel_err", "bit_off", "output_type"};
  TILERIG_CHECK_OK(limits.expectObject(known));
  LimitChanges changes;
  TILERIG_CHECK_OK(readNumber(limits, "oom_limit", leastOomLimit, changes.oom));
  TILERIG_CHECK_OK(readNumber(limits, "rel_err", 0, changes.relativePercent));
  TILERIG_CHECK_OK(readNumber(limits, "bit_off", 0, changes.bitOff));
  if (limits.value.contains("output_type")) {
    const JsonPlace place = limits.at("output_type");
    TILERIG_TRY(const std::string name, place.text());
    const auto position = std::ranges::find(outputTypeNames, name);
    if (position == outputTypeNames.end())
      return place.refuse(fmt::format("unknown output type '{}'", name), suggestion(name, outputTypeNames));
    changes.eightBit = static_cast<EightBit>(position - outputTypeNames.begin());
  }
  return changes;
}

Status readTypes(const JsonPlace &types, Thresholds &thresholds) {
  TILERIG_CHECK_OK(types.expectObject());
  for (const auto &[name, limits] : types.value.items()) {
    const auto type = dtypeNamed(name);
    if (!type)
      return invalidInput(types.place + "." + name, "unknown element type",
                          "use a name of numpy, such as float32, or bfloat16");
    TILERIG_TRY(thresholds.types[*type], readChanges(types.at(name)));
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
  const JsonPlace file{json, place};
  constexpr std::array<std::string_view, 3> known = {"file_type", "dtypes", "layers"};
  TILERIG_CHECK_OK(file.expectObject(known));
  if (!json.contains("file_type") || json["file_type"] != "Thresholds")
    return file.refuse("is not a thresholds file", "its 'file_type' must be 'Thresholds'");
  Thresholds thresholds;
  thresholds.place = place;
  if (json.contains("dtypes"))
    TILERIG_CHECK_OK(readTypes(file.at("dtypes"), thresholds));
  if (json.contains("layers")) {
    const JsonPlace layers = file.at("layers");
    TILERIG_CHECK_OK(layers.expectObject());
    for (const auto &[name, limits] : layers.value.items()) {
      TILERIG_TRY(thresholds.layers[name], readChanges(layers.at(name)));
    }
  }
  return thresholds;
}

Result<Thresholds> readThresholds(const std::string &path) {
  TILERIG_TRY(const std::string text, readText(path));
  return parseThresholds(text, path);
}

} // namespace tilerig::verify
