// A run that can go back: it remembers every step, and what each of the last ones overwrote. Where that has been forgotten,
// it starts again and repeats the same steps.
#pragma once

#include "emulator/Beats/SteppedRun.h"

namespace tilerig::emulator {

class RecordedRun {
public:
  // `historyBytes` limits the memory for what steps overwrote. The machine and the inputs must outlive the run.
  RecordedRun(LoadedMachine &machine, const TensorMap &inputs, const BeatsOptions &options,
              uint64_t historyBytes);

  bool isOver() const { return run->isOver(); }
  SteppedRun::StepKind nextKind() const { return run->nextKind(); }
  const Beat *nextBeat() const { return run->nextBeat(); }
  // Carries out the next step. If it computes rows of an instruction, it ends before the beat `limit`.
  Status forward(const Beat &limit = lastBeat);
  // Undoes the last step; there must be one. If the run is repeated for this, references to its results become invalid.
  Status back();
  // Undoes all steps after the first `count`.
  Status rewind(size_t count);
  unsigned numRepetitions() const { return repetitions; }

  // The steps that have been carried out, the first one first.
  size_t numSteps() const { return steps.size(); }
  const SteppedRun::DoneStep &step(size_t index) const { return steps[index]; }

  const BeatsRun &results() const { return run->results(); }
  const std::vector<Fault> &faults() const { return run->runState().log.faults; }
  // The stage that the run is in; null between two stages.
  const TimedStage *currentStage() const;
  // The instructions of a stage that has been entered, in order of time; null for a host stage.
  const ValueReplay *replayOf(uint32_t stage) const { return run->replayOf(stage); }
  const Initialised &initialised() const { return run->runState().initialised; }
  LoadedMachine &loadedMachine() const { return machine; }

private:
  // Starts again and repeats the steps up to the given number.
  Status repeat(size_t count);
  void forgetOldChanges();

  LoadedMachine &machine;
  const TensorMap &inputs;
  const BeatsOptions options;
  const uint64_t historyBytes;
  std::unique_ptr<SteppedRun> run;
  std::vector<SteppedRun::DoneStep> steps;
  size_t firstUndoable = 0;
  unsigned repetitions = 0;
};

} // namespace tilerig::emulator
