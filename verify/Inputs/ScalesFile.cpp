#include "verify/Inputs/ScalesFile.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Support/StrictJson.h"

namespace tilerig::verify {

static Result<TensorScale> scaleOf(const JsonPlace &entry) {
  TILERIG_CHECK_OK(entry.expectObject({"scale", "zero_point"}));
  TensorScale found;
  TILERIG_TRY(found.scale, entry.at("scale").number(0));
  if (found.scale == 0)
    return entry.at("scale").refuse("a scale is larger than 0");
  if (const JsonPlace zero = entry.at("zero_point")) {
    TILERIG_TRY(found.zero, zero.wholeNumber<int64_t>(-32768, 65535));
  }
  return found;
}

Result<TensorScales> parseScales(const std::string &text, const std::string &place) {
  TILERIG_TRY(const Json json, parseStrictJson(text, place));
  const JsonPlace file{&json, place};
  TILERIG_CHECK_OK(file.expectFileType("TensorScales"));
  TILERIG_CHECK_OK(file.expectObject({"file_type", "tensors"}));
  const JsonPlace tensors = file.at("tensors");
  TILERIG_CHECK_OK(tensors.expectObject());
  TensorScales scales;
  for (const auto &[name, value] : tensors.value->items()) {
    TILERIG_TRY(scales[name], scaleOf(tensors.member(name, value)));
  }
  return scales;
}

Result<TensorScales> readScales(const std::string &path) {
  TILERIG_TRY(const std::string text, readText(path));
  return parseScales(text, path);
}

} // namespace tilerig::verify
