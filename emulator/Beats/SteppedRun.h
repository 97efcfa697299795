// A run by beats that goes forward step by step: it enters a stage, carries out its beats or the operator of the host, and
// leaves it. If the run records its changes, steps can be undone.
//
// The timeline of a stage is computed when the stage is entered (isa/Timeline/Timeline.h); values are then computed in its
// order (ValueReplay.h). A run starts with freshly loaded memories and passes through all stages once.
#pragma once

#include "emulator/Beats/ValueReplay.h"
#include "isa/Base/Tensor/TensorMap.h"
#include "isa/Timeline/Timeline.h"

#include <deque>

namespace tilerig::emulator {

struct BeatsOptions {
  DelayAmounts delays = {};
  std::optional<uint64_t> jitter = {};
  OnFault onFault = OnFault::stop;
  // Whether to run every instruction beat by beat (row by row), even without simultaneous accesses.
  bool everyBeat = false;
};

// Result of running one stage.
struct TimedStage {
  uint32_t index = 0;
  uint64_t begin = 0, end = 0;
  // Number of arithmetic operations that the host performed in a host stage, if this number depends on data
  // values; else empty.
  std::optional<uint64_t> hostOperations = {};
  // Only for device stages: the cost of every instruction, and the timeline that results from these costs.
  std::optional<StageCosts> costs = {};
  std::optional<Timeline> timeline = {};
};

struct BeatsRun {
  bool ended = false;        // whether the program reached its end, with or without faults
  std::vector<Fault> faults; // faults of the program that the run found, in order of time
  // outputs of the program; complete only if the run reached the program's end
  TensorMap outputs;
  std::deque<TimedStage> stages; // results of all stages that the run has begun
  uint64_t cycles = 0;
};

class SteppedRun {
public:
  // Resets the machine to the state after the program was loaded. The machine and the inputs must outlive the run.
  SteppedRun(LoadedMachine &machine, const TensorMap &inputs, const BeatsOptions &options,
             bool recordsChanges);

  enum class StepKind : uint8_t { enterStage, beat, hostStage, leaveStage, finish };
  // A step that has been carried out, with what is needed to undo it.
  struct DoneStep {
    StepKind kind = StepKind::enterStage;
    uint32_t stage = 0;
    ValueReplay::DoneBeat beat = {}; // of a step of kind beat
    bool hadInputs = false, hadOutputs = false, wentOn = true;
    uint64_t cyclesBefore = 0;
    size_t faultsBefore = 0;
    ChangeLog::Mark changesBefore = 0;
  };

  // Whether nothing is left to do, because the program has ended or a fault ended the run.
  bool isOver() const { return !goesOn || position == Position::over; }
  // The kind of the next step (of the last one at the end of the program), and the beat that it carries out, if it is one.
  StepKind nextKind() const;
  const Beat *nextBeat() const { return nextKind() == StepKind::beat ? &replays.back()->next() : nullptr; }
  // Carries out the next step; there must be one. If it computes rows of an instruction, it ends before the beat `limit`.
  Result<DoneStep> step(const Beat &limit = lastBeat);
  // Undoes the step that was carried out last. The run must record its changes.
  void undo(DoneStep done);

  // The results so far.
  const BeatsRun &results() const { return run; }
  // The results of a run that is over.
  BeatsRun takeResults() &&;
  const LoadedMachine &loadedMachine() const { return state.machine; }
  const RunState &runState() const { return state; }
  RunState &runState() { return state; }
  // The instructions of a stage that has been entered, in order of time; null for a host stage.
  const ValueReplay *replayOf(uint32_t stage) const { return replays[stage].get(); }

private:
  enum class Position : uint8_t { beforeStage, inStage, over };

  Status enterStage();
  Status phaseBegins(Phase phase);
  void enterDevice(TimedStage &stage);
  Status runHost(TimedStage &stage);
  void leaveStage();
  Status finish();
  Status collectOutputs();
  void putPattern(const proto::Tensor &tensor);
  void willWrite(const proto::Tensor &tensor);
  const Stage &stageOf(uint32_t index) const { return state.machine.program.stages[index]; }

  RunState state;
  const TensorMap &inputs;
  const BeatsOptions options;
  BeatsRun run;
  Position position = Position::beforeStage;
  bool goesOn = true, hasInputs = false, hasOutputs = false, hasRunHost = false;
  // By stage: what has been entered. The matched threads of the stage tell about faults at its end.
  std::vector<std::unique_ptr<ValueReplay>> replays;
  std::vector<std::vector<Problem>>
      problems; // by stage, those that the analyser found while it matched threads
};

} // namespace tilerig::emulator
