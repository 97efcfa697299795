// Simulates the clock of a whole run: all stages in sequence, with a single inference.
#pragma once

#include "emulator/Observe/Statistics.h"
#include "emulator/Observe/Trace.h"
#include "emulator/Session.h"

#include <optional>

namespace tilerig::emulator {

// Options for simulating the clock of a run.
struct TimedRunOptions {
  DelayAmounts delays;
  std::optional<uint64_t> jitter;
  TraceWriter *trace = nullptr; // receives the Chrome trace; null if no trace is wanted
  // Numbers of arithmetic operations that the host computed in a run; where a number is absent, that of a
  // typical case is used.
  HostOperations hostOperations = {};
};

// Simulates the clock of a program that is proved free of races. Cycles are counted from the beginning of the
// first stage.
RunStatistics timeProgram(const Program &program, const TimedRunOptions &options);

// Results of an inference: its outputs, and the statistics of its simulated clock.
struct TimedRun {
  TensorMap outputs;
  RunStatistics statistics;
};

// Inferences of a session with their simulated clock. The clock depends on the program alone, except for the durations
// of some host stages. So it is simulated in the first inference, and again only if such a duration has changed.
class TimedRuns {
public:
  // The session must outlive the object.
  TimedRuns(Session &session, TimedRunOptions options);
  // Runs one inference. Values and clock are computed in parallel, unless the session has only one thread or the
  // duration of a host stage depends on the values.
  Result<TimedRun> run(const TensorMap &inputs);

private:
  Session &session;
  TimedRunOptions options;
  bool dependsOnValues;
  std::optional<RunStatistics> known; // statistics of the clock with the options
};
// Runs one inference of a session and simulates its clock.
Result<TimedRun> runTimed(Session &session, const TensorMap &inputs, TimedRunOptions options);

} // namespace tilerig::emulator
