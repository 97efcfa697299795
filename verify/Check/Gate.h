// Decides when a check fails, for CI that uses its exit code. A check fails if anything is wrong or, by
// option, only if something is wrong that was right in the baseline. It also fails if a limit that the user
// set is exceeded.
#pragma once

#include "verify/Records/Record.h"

#include <optional>

namespace tilerig::verify {

enum class FailOn { wrong, newlyWrong };

struct Gate {
  FailOn failOn = FailOn::wrong;
  std::optional<uint64_t> mostCycles; // largest number of cycles that the program may take
  std::optional<double> mostSlower;   // largest slowdown against the baseline, in percent
  // signal-to-noise ratio against the original model, in dB, that every tensor of the emitted ONNX model must
  // reach
  std::optional<double> leastDecibels;
};

// Returns records of the kind `limit`, one for each limit that the user set. Each has the name of the limit,
// its value, the measured value, a status (match, or mismatch if the limit is exceeded) and a reason. A limit
// may depend on the records of an earlier check (`baseline`). For a limit of cycles, the records must contain
// cycle counts.
Result<std::vector<Json>> limitRecords(const Gate &gate, const std::vector<Json> &records,
                                       const std::optional<std::vector<Json>> &baseline);

// Whether a check passes, according to its records, which include those of limits and of the comparison with
// the baseline.
bool passes(const Gate &gate, const std::vector<Json> &records);

} // namespace tilerig::verify
