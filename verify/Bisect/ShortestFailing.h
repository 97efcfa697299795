// Finds the shortest failing prefix of a sequence by bisection.
//
// The search keeps a length that does not fail and a length that fails, and halves the distance. If it is known at which
// length the failure of the whole sequence begins, this length is tried first and then the one before it: two trials
// suffice if the failure shows there. A prefix that decides nothing, because it cannot be tried or fails in another way,
// is left out, and its neighbours are tried.
//
// Failure need not be monotone. The result is always a failing prefix, next to one that does not fail or decides nothing.
// Two observations show that a failure is not monotone: a shorter prefix fails at a place where the whole sequence does not;
// or, where no place is known, a length in the largest gap between failing lengths passes.
#pragma once

#include "isa/Base/Support/Error.h"

#include <functional>
#include <optional>
#include <vector>

namespace tilerig::verify {

enum class PrefixOutcome {
  passes,
  fails,          // in the same way and, as far as that is known, at the same place as the whole sequence
  failsElsewhere, // in the same way, but at another place
  undecided       // in another way
};

struct ShortestFailing {
  size_t length = 0; // of the shortest failing prefix
  bool isMonotone = true;
  // Lengths that were tried and fail at another place, or decide nothing.
  std::vector<size_t> elsewhere = {}, undecided = {};
};

using TryPrefix = std::function<Result<PrefixOutcome>(size_t length)>;

// `length` is that of the whole sequence, which fails; `expected` the length at which its failure begins.
Result<ShortestFailing> findShortestFailing(size_t length, std::optional<size_t> expected,
                                            const TryPrefix &tryPrefix);

} // namespace tilerig::verify
