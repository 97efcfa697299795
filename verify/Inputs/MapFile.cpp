#include "verify/Inputs/MapFile.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Support/StrictJson.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

Result<std::vector<size_t>> readAxes(const JsonPlace &list) {
  TILERIG_CHECK_OK(list.expectList());
  std::vector<size_t> axes;
  for (const Json &axis : *list.value) {
    if (!axis.is_number_unsigned() || axis.get<uint64_t>() >= list.value->size() ||
        std::ranges::find(axes, axis.get<size_t>()) != axes.end())
      return list.refuse(
          fmt::format("the list must contain each axis from 0 to {} exactly once", list.value->size() - 1));
    axes.push_back(axis.get<size_t>());
  }
  return axes;
}

Result<MappedPair> readPair(const JsonPlace &entry) {
  TILERIG_CHECK_OK(entry.expectObject({"reference", "target", "transpose"}));
  MappedPair pair;
  TILERIG_TRY(pair.reference, entry.at("reference").text());
  TILERIG_TRY(pair.target, entry.at("target").text());
  if (const JsonPlace transpose = entry.at("transpose")) {
    TILERIG_TRY(pair.transpose, readAxes(transpose));
  }
  return pair;
}

Status readPairs(const JsonPlace &list, TensorNameMap &map) {
  TILERIG_CHECK_OK(list.expectList());
  std::set<std::string> references, targets;
  for (size_t i = 0; i < list.value->size(); ++i) {
    const JsonPlace entry = list.at(i);
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
  const JsonPlace file{&json, place};
  TILERIG_CHECK_OK(file.expectFileType("TensorMap"));
  TILERIG_CHECK_OK(file.expectObject({"file_type", "pairs", "left_out"}));
  TensorNameMap map;
  map.place = place;
  if (const JsonPlace pairs = file.at("pairs"))
    TILERIG_CHECK_OK(readPairs(pairs, map));
  if (const JsonPlace leftOut = file.at("left_out")) {
    TILERIG_CHECK_OK(leftOut.expectList());
    for (size_t i = 0; i < leftOut.value->size(); ++i) {
      TILERIG_TRY(std::string name, leftOut.at(i).text());
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
