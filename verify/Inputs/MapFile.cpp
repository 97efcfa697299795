#include "verify/Inputs/MapFile.h"

#include "isa/Base/Support/File.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

Result<std::vector<size_t>> readAxes(const JsonPlace &list) {
  TILERIG_CHECK_OK(list.expectArray());
  std::vector<size_t> axes;
  for (const Json &axis : list.value) {
    if (!axis.is_number_unsigned() || axis.get<uint64_t>() >= list.value.size() ||
        std::ranges::find(axes, axis.get<size_t>()) != axes.end())
      return list.refuse(
          fmt::format("must contain each axis from 0 to {} exactly once", list.value.size() - 1));
    axes.push_back(axis.get<size_t>());
  }
  return axes;
}

Result<MappedPair> readPair(const JsonPlace &entry) {
  constexpr std::array<std::string_view, 3> known = {"reference", "target", "transpose"};
  TILERIG_CHECK_OK(entry.expectObject(known));
  for (const char *key : {"reference", "target"})
    if (!entry.value.contains(key))
      return entry.refuse(fmt::format("the key '{}' is missing", key));
  MappedPair pair;
  TILERIG_TRY(pair.reference, entry.at("reference").text());
  TILERIG_TRY(pair.target, entry.at("target").text());
  if (entry.value.contains("transpose")) {
    TILERIG_TRY(pair.transpose, readAxes(entry.at("transpose")));
  }
  return pair;
}

Status readPairs(const JsonPlace &list, TensorNameMap &map) {
  TILERIG_CHECK_OK(list.expectArray());
  std::set<std::string> references, targets;
  for (size_t i = 0; i < list.value.size(); ++i) {
    const JsonPlace entry{list.value[i], fmt::format("{}[{}]", list.place, i)};
    TILERIG_TRY(MappedPair pair, readPair(entry));
    if (!references.insert(pair.reference).second)
      return entry.refuse(fmt::format("tensor '{}' of the reference is in two pairs", pair.reference));
    if (!targets.insert(pair.target).second)
      return entry.refuse(fmt::format("tensor '{}' of the target is in two pairs", pair.target));
    map.pairs.push_back(std::move(pair));
  }
  return success();
}

} // namespace

Result<TensorNameMap> parseMap(const std::string &text, const std::string &place) {
  TILERIG_TRY(const Json json, parseStrictJson(text, place));
  const JsonPlace file{json, place};
  constexpr std::array<std::string_view, 3> known = {"file_type", "pairs", "left_out"};
  TILERIG_CHECK_OK(file.expectObject(known));
  if (!json.contains("file_type") || json["file_type"] != "TensorMap")
    return file.refuse("is not a tensor map", "its 'file_type' must be 'TensorMap'");
  TensorNameMap map;
  map.place = place;
  if (json.contains("pairs"))
    TILERIG_CHECK_OK(readPairs(file.at("pairs"), map));
  if (json.contains("left_out")) {
    const JsonPlace list = file.at("left_out");
    TILERIG_CHECK_OK(list.expectArray());
    for (const Json &entry : list.value) {
      TILERIG_TRY(std::string name, (JsonPlace{entry, list.place}.text()));
      map.leftOut.insert(std::move(name));
    }
  }
  return map;
}

Result<TensorNameMap> readMap(const std::string &path) {
  TILERIG_TRY(const std::string text, readText(path));
  return parseMap(text, path);
}

} // namespace tilerig::verify
