// The clock of a whole run: the stages one after another, those that come once and one inference.
#pragma once

#include "emulator/Observe/Statistics.h"
#include "emulator/Observe/Trace.h"

namespace tilerig {

struct TimedRunOptions {
  DelayAmounts delays;
  std::optional<uint64_t> jitter;
  TraceWriter *trace = nullptr; // where to write it, if anywhere
};

// Cycles count from 0 on, where the first stage begins. The program is proved.
RunStatistics timeProgram(const Program &program, const TimedRunOptions &options);

} // namespace tilerig
