#include "compiler/Planning/Quantisation/PrecisionPlan.h"

#include "isa/Base/Support/Advice.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Nearest.h"
#include "isa/Base/Support/StrictJson.h"

#include <filesystem>
#include <fmt/core.h>
#include <optional>

namespace tilerig::compiler {

namespace {

// Reads a field that holds a string, and converts the string by the function `parse`; nullopt if the field is
// missing.
template <class Parse>
auto readField(const JsonPlace &field, Parse parse)
    -> Result<std::optional<std::decay_t<decltype(*parse(std::string()))>>> {
  using Value = std::optional<std::decay_t<decltype(*parse(std::string()))>>;
  if (!field)
    return Value();
  TILERIG_TRY(const std::string text, field.text());
  auto value = parse(text);
  if (!value)
    return value.error().within(field.path);
  return Value(*std::move(value));
}

Result<Precision> parseActivations(std::string_view text) {
  if (text == "int8")
    return Precision::int8;
  if (text == "uint8")
    return Precision::uint8;
  return invalidInput("", fmt::format("cannot be '{}'", text), "expected int8 or uint8");
}

Result<WeightScales> parseWeights(std::string_view text) {
  if (text == "per-channel")
    return WeightScales::perChannel;
  if (text == "per-tensor")
    return WeightScales::perTensor;
  return invalidInput("", fmt::format("cannot be '{}'", text), "expected per-channel or per-tensor");
}

// The precision that the file states for a layer. If it is int8, the file's field "activations" determines
// the storage type of activations. Refuses the precision uint8 if that field says int8.
Result<Precision> settled(Precision precision, std::optional<Precision> activations,
                          const std::string &place) {
  if (activations == Precision::int8 && precision == Precision::uint8)
    return invalidInput(place, "the precision is uint8 although \"activations\" is int8",
                        "leave out \"activations\", or write int8 here");
  return activations == Precision::uint8 && precision == Precision::int8 ? Precision::uint8 : precision;
}

} // namespace

Result<PrecisionPlan> PrecisionPlan::parse(std::string_view text) {
  TILERIG_TRY(const Json json, parseStrictJson(text, ""));
  const JsonPlace file{&json, ""};
  TILERIG_CHECK_OK(file.expectObject({"default", "activations", "weights", "method", "nine_bits", "layers"}));
  TILERIG_TRY(const auto standard, readField(file.at("default"), parsePrecision));
  TILERIG_TRY(const auto activations, readField(file.at("activations"), parseActivations));
  TILERIG_TRY(const auto weights, readField(file.at("weights"), parseWeights));
  TILERIG_TRY(const auto method, readField(file.at("method"), parseRangeMethod));
  PrecisionPlan plan;
  TILERIG_TRY(plan.standard, settled(standard.value_or(Precision::fp32), activations, "default"));
  plan.scales = weights.value_or(WeightScales::perChannel);
  plan.rangeMethod = method.value_or(RangeMethod());
  if (const JsonPlace nineBits = file.at("nine_bits")) {
    TILERIG_TRY(plan.nineBits, nineBits.boolean());
  }
  const JsonPlace layers = file.at("layers");
  if (!layers)
    return plan;
  TILERIG_CHECK_OK(layers.expectObject());
  for (const auto &[name, value] : layers.value->items()) {
    const JsonPlace layer = layers.member(name, value);
    TILERIG_TRY(const auto precision, readField(layer, parsePrecision));
    TILERIG_TRY(plan.layers[name], settled(*precision, activations, layer.path));
  }
  return plan;
}

Result<PrecisionPlan> PrecisionPlan::read(const std::string &option) {
  const auto precision = parsePrecision(option);
  if (precision)
    return PrecisionPlan(*precision);
  std::error_code ignored;
  if (!std::filesystem::exists(option, ignored))
    return usageError("--precision", fmt::format("'{}' is neither a precision nor a file", option),
                      precision.error().remedy);
  TILERIG_TRY(const std::string text, readText(option));
  auto plan = advised(parse(text),
                      R"(a precision file looks like {"default": "int8", "layers": {"/head/Gemm": "fp16"}})");
  if (!plan)
    return plan.error().within(option);
  plan->file = option;
  return plan;
}

Result<Precision> PrecisionPlan::precisionOf(std::span<const std::string> names) const {
  const std::pair<const std::string, Precision> *said = nullptr;
  for (const std::string &name : names) {
    const auto entry = layers.find(name);
    if (entry == layers.end())
      continue;
    if (said && said->second != entry->second)
      return invalidInput(
          file,
          fmt::format("'{}' has precision {} and '{}' has precision {}, but one layer computes both",
                      said->first, nameOf(said->second), name, nameOf(entry->second)),
          "give both names the same precision");
    said = &*entry;
  }
  return said ? said->second : standard;
}

Status PrecisionPlan::checkNames(std::span<const std::string> nodesAndTensors) const {
  const std::vector<std::string_view> known(nodesAndTensors.begin(), nodesAndTensors.end());
  for (const auto &[name, precision] : layers)
    if (std::ranges::find(known, name) == known.end()) {
      const std::string_view nearest = nearestName(name, known);
      return invalidInput(file.empty() ? "layers" : file + ": layers",
                          fmt::format("the model has no node and no tensor '{}'", name),
                          nearest.empty() ? "tilerig compile --emit graph writes all names"
                                          : fmt::format("did you mean '{}'?", nearest));
    }
  return success();
}

bool PrecisionPlan::needsCalibration() const {
  return isQuantised(standard) ||
         std::ranges::any_of(layers, [](const auto &layer) { return isQuantised(layer.second); });
}

} // namespace tilerig::compiler
