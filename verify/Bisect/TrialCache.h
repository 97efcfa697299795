// Results of trials in a file, so that a bisection that was interrupted does not repeat them. Each line is a JSON document
// {"key", "result"}. Lines that cannot be read, such as the last one of a process that was killed, are ignored.
#pragma once

#include "verify/Bisect/Trial.h"

#include <map>

namespace tilerig::verify {

class TrialCache {
public:
  TrialCache() = default;
  // Reads the results that the file has; it need not exist.
  static Result<TrialCache> open(const std::string &path);

  const TrialResult *find(uint64_t key) const;
  // Keeps a result and, if the cache has a file, appends it.
  Status add(uint64_t key, const TrialResult &result);

private:
  std::string path;        // empty: results are not stored
  bool endsInLine = false; // whether the file ends within a line
  std::map<uint64_t, TrialResult> results;
};

} // namespace tilerig::verify
