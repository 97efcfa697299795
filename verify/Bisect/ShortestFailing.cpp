#include "verify/Bisect/ShortestFailing.h"

#include <map>

namespace tilerig::verify {

namespace {

class Search {
public:
  Search(size_t length, const TryPrefix &tryPrefix) : failing(length), tryPrefix(tryPrefix) {
    known[length] = PrefixOutcome::fails;
  }

  Result<ShortestFailing> run(std::optional<size_t> expected) {
    if (expected && *expected < failing)
      TILERIG_CHECK_OK(tryLength(*expected));
    if (expected == failing && failing > passing + 1)
      TILERIG_CHECK_OK(tryLength(failing - 1));
    while (const std::optional<size_t> next = nextLength())
      TILERIG_CHECK_OK(tryLength(*next));
    if (!expected)
      TILERIG_CHECK_OK(checkMonotone());
    return result();
  }

private:
  Status tryLength(size_t length) {
    TILERIG_TRY(known[length], tryPrefix(length));
    if (known[length] == PrefixOutcome::fails)
      failing = length;
    else if (known[length] != PrefixOutcome::undecided)
      passing = length;
    return success();
  }

  // The untried length next to the middle of `passing` and `failing`; nothing if there is none between them.
  std::optional<size_t> nextLength() const {
    const size_t middle = passing + (failing - passing) / 2;
    for (size_t distance = 0; distance < failing - passing; ++distance)
      for (const size_t length : {middle + distance, middle - std::min(distance, middle)})
        if (length > passing && length < failing && !known.contains(length))
          return length;
    return {};
  }

  // Tries a length in the largest gap between lengths that fail.
  Status checkMonotone() {
    size_t before = failing, between = 0, largest = 1;
    for (auto longer = known.upper_bound(failing); longer != known.end(); ++longer)
      if (longer->second == PrefixOutcome::fails) {
        if (longer->first - before > largest) {
          largest = longer->first - before;
          between = before + largest / 2;
        }
        before = longer->first;
      }
    if (!between || known.contains(between))
      return success();
    TILERIG_TRY(known[between], tryPrefix(between));
    isMonotone = known[between] != PrefixOutcome::passes;
    return success();
  }

  ShortestFailing result() const {
    ShortestFailing result{.length = failing, .isMonotone = isMonotone};
    for (const auto &[length, outcome] : known) {
      if (outcome == PrefixOutcome::failsElsewhere)
        result.elsewhere.push_back(length);
      if (outcome == PrefixOutcome::undecided)
        result.undecided.push_back(length);
    }
    result.isMonotone &= result.elsewhere.empty();
    return result;
  }

  size_t passing = 0, failing;
  const TryPrefix &tryPrefix;
  std::map<size_t, PrefixOutcome> known;
  bool isMonotone = true;
};

} // namespace

Result<ShortestFailing> findShortestFailing(size_t length, std::optional<size_t> expected,
                                            const TryPrefix &tryPrefix) {
  return Search(length, tryPrefix).run(expected);
}

} // namespace tilerig::verify
