#include "compiler/Precision/CalibrationTable.h"

#include "compiler/Precision/JsonText.h"
#include "isa/Base/Support/Advice.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Nearest.h"

#include <cmath>
#include <fmt/core.h>
#include <vector>

namespace tilerig::compiler {

static constexpr std::string_view fileType = "Calibration";
static constexpr std::string_view fileFields[] = {"file_type", "samples", "tensors"};
static constexpr std::string_view tensorFields[] = {"type", "method", "min", "max", "scale", "zero_point"};

static std::string_view nameOf(QuantisedType type) { return type == QuantisedType::int8 ? "int8" : "uint8"; }

std::string CalibrationTable::print() const {
  Json rows = Json::object();
  for (const auto &[name, tensor] : tensors) {
    const auto [scale, zeroPoint] = tensor.parameters();
    rows[name] = {{"type", nameOf(tensor.type)},
                  {"method", compiler::nameOf(tensor.method)},
                  {"min", tensor.range.low},
                  {"max", tensor.range.high},
                  {"scale", scale},
                  {"zero_point", zeroPoint}};
  }
  const Json json = {{"file_type", fileType}, {"samples", samples}, {"tensors", rows}};
  // Names come from files and may be invalid UTF-8, which JSON does not allow; invalid bytes are replaced.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

static Result<const Json *> getField(const Json &row, const std::string &place, std::string_view key) {
  const auto field = row.find(std::string(key));
  if (field == row.end())
    return invalidInput(place, fmt::format("lacks the field \"{}\"", key));
  return &*field;
}

static Result<std::string> getText(const Json &row, const std::string &place, std::string_view key) {
  TILERIG_TRY(const Json *field, getField(row, place, key));
  if (!field->is_string())
    return invalidInput(keyPlace(place, key), "must be a string, not " + shown(*field));
  return field->get<std::string>();
}

static Result<double> getNumber(const Json &row, const std::string &place, std::string_view key) {
  TILERIG_TRY(const Json *field, getField(row, place, key));
  if (!field->is_number())
    return invalidInput(keyPlace(place, key), "must be a number, not " + shown(*field));
  const auto number = field->get<double>();
  if (!std::isfinite(static_cast<float>(number)))
    return invalidInput(keyPlace(place, key), "is outside the range of a 32-bit float");
  return number;
}

static Result<QuantisedType> getType(const Json &row, const std::string &place) {
  TILERIG_TRY(const std::string text, getText(row, place, "type"));
  for (const QuantisedType type : {QuantisedType::int8, QuantisedType::uint8})
    if (text == nameOf(type))
      return type;
  return invalidInput(keyPlace(place, "type"), fmt::format("unknown type '{}'", text),
                      "expected int8 or uint8");
}

static Result<ValueRange> getRange(const Json &row, const std::string &place) {
  TILERIG_TRY(const double low, getNumber(row, place, "min"));
  TILERIG_TRY(const double high, getNumber(row, place, "max"));
  if (low > 0 || high < 0)
    return invalidInput(place, fmt::format("the range {} ... {} does not contain zero", low, high),
                        "choose min at most 0 and max at least 0");
  return ValueRange{static_cast<float>(low), static_cast<float>(high)};
}

static Status checkParameters(const Json &row, const std::string &place, const CalibratedTensor &tensor) {
  TILERIG_TRY(const double scale, getNumber(row, place, "scale"));
  TILERIG_TRY(const double zeroPoint, getNumber(row, place, "zero_point"));
  const QuantisationParameters wanted = tensor.parameters();
  if (static_cast<float>(scale) == wanted.scale && zeroPoint == wanted.zeroPoint)
    return success();
  return invalidInput(place,
                      fmt::format("min and max imply scale {} and zero_point {}, but the table has {} and {}",
                                  wanted.scale, wanted.zeroPoint, scale, zeroPoint),
                      "correct min and max, or scale and zero_point");
}

static Result<CalibratedTensor> parseTensor(const Json &row, const std::string &place) {
  if (!row.is_object())
    return invalidInput(place, "must be an object, not " + shown(row));
  TILERIG_CHECK_OK(checkKeys(row, place, tensorFields));
  CalibratedTensor tensor;
  TILERIG_TRY(tensor.type, getType(row, place));
  TILERIG_TRY(const std::string method, getText(row, place, "method"));
  auto parsed = parseRangeMethod(method);
  if (!parsed)
    return parsed.error().within(keyPlace(place, "method"));
  tensor.method = *parsed;
  TILERIG_TRY(tensor.range, getRange(row, place));
  TILERIG_CHECK_OK(checkParameters(row, place, tensor));
  return tensor;
}

Result<CalibrationTable> CalibrationTable::parse(std::string_view text) {
  TILERIG_TRY(const Json json, parseJsonObject(text));
  TILERIG_TRY(const std::string type, getText(json, "", "file_type"));
  if (type != fileType)
    return invalidInput("file_type", fmt::format("is '{}', so this is not a calibration table", type),
                        "expected 'Calibration'");
  TILERIG_CHECK_OK(checkKeys(json, "", fileFields));
  CalibrationTable table;
  TILERIG_TRY(const std::string *samples, findText(json, "", "samples"));
  table.samples = samples ? *samples : "";
  TILERIG_TRY(const Json *rows, getField(json, "", "tensors"));
  if (!rows->is_object())
    return invalidInput("tensors", "must be an object, not " + shown(*rows));
  for (const auto &[name, row] : rows->items()) {
    TILERIG_TRY(table.tensors[name], parseTensor(row, keyPlace("tensors", name)));
  }
  return table;
}

Status CalibrationTable::save(const std::string &path) const { return writeText(path, print()); }

Result<CalibrationTable> CalibrationTable::read(const std::string &path) {
  TILERIG_TRY(const std::string text, readText(path));
  auto table = advised(parse(text), "tilerig compile --calibration-table writes a valid table");
  if (!table)
    return table.error().within(path);
  return table;
}

Result<CalibratedTensor> CalibrationTable::get(const std::string &name) const {
  if (const auto entry = tensors.find(name); entry != tensors.end())
    return entry->second;
  std::vector<std::string_view> names;
  for (const auto &[known, tensor] : tensors)
    names.push_back(known);
  const std::string_view nearest = nearestName(name, names);
  return invalidInput("calibration", fmt::format("the table has no range for tensor '{}'", name),
                      nearest.empty()
                          ? "calibrate this model again"
                          : fmt::format("it has one for '{}'; calibrate this model again", nearest));
}

} // namespace tilerig::compiler
