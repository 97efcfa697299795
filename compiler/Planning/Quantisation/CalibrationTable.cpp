#include "compiler/Planning/Quantisation/CalibrationTable.h"

#include "isa/Base/Support/Advice.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Nearest.h"
#include "isa/Base/Support/StrictJson.h"

#include <cmath>
#include <fmt/core.h>
#include <vector>

namespace tilerig::compiler {

static constexpr std::string_view fileType = "Calibration";
// Names of the types, in the order of enum QuantisedType.
static constexpr std::string_view typeNames[] = {"int8", "uint8"};

static std::string_view nameOf(QuantisedType type) { return typeNames[static_cast<size_t>(type)]; }

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
  // Names from files may be invalid UTF-8, which JSON does not allow. The invalid bytes are replaced.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

static Result<double> getNumber(const JsonPlace &row, std::string_view key) {
  const JsonPlace field = row.at(key);
  TILERIG_TRY(const double number, field.number());
  if (!std::isfinite(static_cast<float>(number)))
    return field.refuse("the number is outside the range of a 32-bit float");
  return number;
}

static Result<ValueRange> getRange(const JsonPlace &row) {
  TILERIG_TRY(const double low, getNumber(row, "min"));
  TILERIG_TRY(const double high, getNumber(row, "max"));
  if (low > 0 || high < 0)
    return row.refuse(fmt::format("the range {} ... {} does not contain zero", low, high),
                      "choose min at most 0 and max at least 0");
  return ValueRange{static_cast<float>(low), static_cast<float>(high)};
}

static Status checkParameters(const JsonPlace &row, const CalibratedTensor &tensor) {
  TILERIG_TRY(const double scale, getNumber(row, "scale"));
  TILERIG_TRY(const double zeroPoint, getNumber(row, "zero_point"));
  const QuantisationParameters wanted = tensor.parameters();
  if (static_cast<float>(scale) == wanted.scale && zeroPoint == wanted.zeroPoint)
    return success();
  return row.refuse(fmt::format("min and max imply scale {} and zero_point {}, but the table has {} and {}",
                                wanted.scale, wanted.zeroPoint, scale, zeroPoint),
                    "correct min and max, or scale and zero_point");
}

static Result<CalibratedTensor> parseTensor(const JsonPlace &row) {
  TILERIG_CHECK_OK(row.expectObject({"type", "method", "min", "max", "scale", "zero_point"}));
  CalibratedTensor tensor;
  TILERIG_TRY(const size_t type, row.at("type").indexIn(typeNames));
  tensor.type = static_cast<QuantisedType>(type);
  TILERIG_TRY(const std::string method, row.at("method").text());
  auto parsed = parseRangeMethod(method);
  if (!parsed)
    return parsed.error().within(row.at("method").path);
  tensor.method = *parsed;
  TILERIG_TRY(tensor.range, getRange(row));
  TILERIG_CHECK_OK(checkParameters(row, tensor));
  return tensor;
}

Result<CalibrationTable> CalibrationTable::parse(std::string_view text) {
  TILERIG_TRY(const Json json, parseStrictJson(text, "", limitsOfOwnFiles));
  const JsonPlace file{&json, ""};
  TILERIG_CHECK_OK(file.expectFileType(fileType));
  TILERIG_CHECK_OK(file.expectObject({"file_type", "samples", "tensors"}));
  CalibrationTable table;
  if (const JsonPlace samples = file.at("samples")) {
    TILERIG_TRY(table.samples, samples.text());
  }
  const JsonPlace rows = file.at("tensors");
  TILERIG_CHECK_OK(rows.expectObject());
  for (const auto &[name, row] : rows.value->items()) {
    TILERIG_TRY(table.tensors[name], parseTensor(rows.member(name, row)));
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
  return invalidInput(
      "calibration", fmt::format("the table has no range for tensor '{}'", name),
      nearest.empty()
          ? "calibrate this model again"
          : fmt::format("calibrate this model again; the most similar name in the table is '{}'", nearest));
}

} // namespace tilerig::compiler
