// A program that runs by the clock, beat by beat where its instructions meet: what programs without a proof,
// and programs on broken hardware, need.
//
// Time comes first (Timed/Timeline.h), values follow in its order (ValueReplay.h). A run begins as after the
// load, with memories that nobody has written, and goes through all stages once. What a program does wrong is
// a fault: it ends the run at its instruction, or is noted while the run goes on.
#pragma once

#include "emulator/Beats/ValueReplay.h"
#include "emulator/Observe/Observation.h"
#include "isa/Tensor/TensorMap.h"

namespace tilerig {

struct BeatsOptions {
  DelayAmounts delays = {};
  std::optional<uint64_t> jitter = {};
  OnFault onFault = OnFault::stop;
  bool everyBeat = false; // see ValueReplayOptions
};

// A stage, as it went.
struct TimedStage {
  uint32_t index = 0;
  uint64_t begin = 0, end = 0;
  std::optional<uint64_t> hostOperations = {}; // where they depend on values
  // Of the device:
  std::optional<StageCosts> costs = {};
  std::optional<Timeline> timeline = {};
};

struct BeatsRun {
  bool ended = false;             // the program came to its end, with faults or without
  std::vector<Fault> faults;      // in the order in which they happened
  TensorMap outputs;              // if it ended
  std::vector<TimedStage> stages; // that began
  uint64_t cycles = 0;
};

class BeatsSession {
public:
  // The program need not be proved, but every instruction has to be legal, as the reader sees to.
  static Result<std::unique_ptr<BeatsSession>> load(Program program, Defects defects = {},
                                                    const Observation &observation = {});

  // Refuses inputs that do not fit; what the program does wrong is in the result. The options say how it
  // goes this time.
  Result<BeatsRun> run(const TensorMap &inputs, const BeatsOptions &options = {});

  // What was to be captured, as a run that ended has left it, elements as they are stored.
  const Sights &sights() const { return seen; }

  // As it runs: with misrouted transfers where defects ask for them.
  const Program &program() const { return loaded; }

private:
  BeatsSession(Program program, Defects defects);
  Status prepare(const Observation &observation);
  void restoreConstants();
  bool runDevice(TimedStage &stage, const BeatsOptions &options, ValueReplay &replay, FaultLog &log) const;
  Result<bool> runHost(TimedStage &stage, Initialised &initialised, FaultLog &log);
  void putPattern(const proto::Tensor &tensor, const Initialised &initialised);
  Result<bool> collectOutputs(Initialised &initialised, FaultLog &log, BeatsRun &run);

  Program loaded;
  Defects defects;
  Memories memories;
  Sights seen;
  std::vector<Replacement> replacements;
  // Constants that bits are flipped in: as they were, and where in the program they are.
  std::vector<std::pair<size_t, ConstantData>> intact;
};

} // namespace tilerig
