// The clock of a whole run: the stages one after another, those that come once and one inference.
#pragma once

#include "emulator/Observe/Statistics.h"
#include "emulator/Observe/Trace.h"
#include "emulator/Session.h"

namespace tilerig {

struct TimedRunOptions {
  DelayAmounts delays;
  std::optional<uint64_t> jitter;
  TraceWriter *trace = nullptr; // where to write it, if anywhere
};

// Cycles count from 0 on, where the first stage begins. The program is proved.
RunStatistics timeProgram(const Program &program, const TimedRunOptions &options);

// An inference and its clock. Neither looks at the other, so they go side by side, unless the session has one
// thread only.
struct TimedRun {
  TensorMap outputs;
  RunStatistics statistics;
};
Result<TimedRun> runTimed(Session &session, const TensorMap &inputs, const TimedRunOptions &options);

} // namespace tilerig
