// The clock of a whole run: the stages one after another, those that come once and one inference.
#pragma once

#include "emulator/Observe/Statistics.h"
#include "emulator/Observe/Trace.h"
#include "emulator/Session.h"

namespace tilerig {

struct TimedRunOptions {
  DelayAmounts delays;
  std::optional<uint64_t> jitter;
  TraceWriter *trace = nullptr;       // where to write it, if anywhere
  HostOperations hostOperations = {}; // as a session has them; a stage without has its typical case
};

// Cycles count from 0 on, where the first stage begins. The program is proved.
RunStatistics timeProgram(const Program &program, const TimedRunOptions &options);

// An inference and its clock. They go side by side, unless the session has one thread only, or the clock
// needs to know what the host's work on these values took.
struct TimedRun {
  TensorMap outputs;
  RunStatistics statistics;
};
Result<TimedRun> runTimed(Session &session, const TensorMap &inputs, TimedRunOptions options);

} // namespace tilerig
