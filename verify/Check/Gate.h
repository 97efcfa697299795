// When a check fails, for whoever lets its exit code decide (CI): something is wrong, or only something that
// was not wrong in the baseline; and limits of the user's own, which a right program may exceed as well.
#pragma once

#include "verify/Records/Record.h"

#include <optional>

namespace tilerig::verify {

enum class FailOn { wrong, newlyWrong };

struct Gate {
  FailOn failOn = FailOn::wrong;
  std::optional<uint64_t> mostCycles;  // of the program
  std::optional<double> mostSlower;    // than in the baseline, in percent
  std::optional<double> leastDecibels; // of every tensor that the emitted model computes, against the truth
};

// Records of the kind `limit`, one for each limit: `name`, `status` (match, or mismatch where it is
// exceeded), `reason`, `value`, `limit`. `records` are those of the check, with its clock where cycles are
// limited, and `baseline` those of the earlier one where that says how many there may be. Refuses a baseline
// without a clock.
Result<std::vector<Json>> limitRecords(const Gate &gate, const std::vector<Json> &records,
                                       const std::optional<std::vector<Json>> &baseline);

// Of a check with its limits and what changed since the baseline.
bool passes(const Gate &gate, const std::vector<Json> &records);

} // namespace tilerig::verify
