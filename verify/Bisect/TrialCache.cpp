#include "verify/Bisect/TrialCache.h"

#include "isa/Base/Support/StrictJson.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <utility>

namespace tilerig::verify {

Result<TrialCache> TrialCache::open(const std::string &path) {
  TrialCache cache;
  cache.path = path;
  std::ifstream file(path);
  if (!file && std::filesystem::exists(path))
    return invalidInput(path, "the file cannot be read");
  for (std::string line; std::getline(file, line);) {
    cache.endsInLine = file.eof(); // the last line has no line break
    const auto json = parseStrictJson(line, path);
    if (!json || !json->is_object() || !json->contains("key") || !json->contains("result") ||
        !(*json)["key"].is_string())
      continue;
    const std::string key = (*json)["key"];
    uint64_t number = 0;
    const auto [end, failure] = std::from_chars(key.data(), key.data() + key.size(), number, 16);
    if (const auto result = trialFromJson((*json)["result"]); result && failure == std::errc())
      cache.results[number] = *result;
  }
  return cache;
}

const TrialResult *TrialCache::find(uint64_t key) const {
  const auto entry = results.find(key);
  return entry == results.end() ? nullptr : &entry->second;
}

Status TrialCache::add(uint64_t key, const TrialResult &result) {
  results[key] = result;
  if (path.empty())
    return success();
  std::ofstream file(path, std::ios::app);
  const Json line = {{"key", fmt::format("{:016x}", key)}, {"result", asJson(result)}};
  if (std::exchange(endsInLine, false))
    file << '\n';
  file << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  return file ? success()
              : Status(invalidInput(path, fmt::format("writing failed: {}", std::strerror(errno)),
                                    "choose another folder with --output"));
}

} // namespace tilerig::verify
