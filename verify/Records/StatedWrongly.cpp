#include "verify/Records/StatedWrongly.h"

#include "verify/Records/Record.h"

#include <algorithm>

namespace tilerig::verify {

std::vector<std::string> StatedWrongly::names() const {
  std::vector<std::string> all = emitted;
  for (const std::string &name : rounded)
    if (std::ranges::find(all, name) == all.end())
      all.push_back(name);
  return all;
}

std::string StatedWrongly::statusOf(const std::string &tensor) const {
  const auto isIn = [&](const std::vector<std::string> &names) {
    return std::ranges::find(names, tensor) != names.end();
  };
  if (isIn(emitted))
    return isIn(rounded) ? "wrong as emitted and rounded" : "wrong as emitted";
  return isIn(rounded) ? "wrong as rounded" : "";
}

StatedWrongly statedWrongly(const std::vector<Json> &records) {
  StatedWrongly wrong;
  for (const Json &record : records) {
    if (record["record"] == "emitted" && !isMatch(record))
      wrong.emitted.push_back(record["name"]);
    if (record["record"] == "rounded" && !isMatch(record))
      wrong.rounded.push_back(record["name"]);
  }
  return wrong;
}

} // namespace tilerig::verify
