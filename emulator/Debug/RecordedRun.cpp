#include "emulator/Debug/RecordedRun.h"

namespace tilerig::emulator {

RecordedRun::RecordedRun(LoadedMachine &machine, const TensorMap &inputs, const BeatsOptions &options,
                         uint64_t historyBytes)
    : machine(machine), inputs(inputs), options(options), historyBytes(historyBytes),
      run(std::make_unique<SteppedRun>(machine, inputs, options, true)) {}

const TimedStage *RecordedRun::currentStage() const {
  const bool isInside = nextKind() != SteppedRun::StepKind::enterStage &&
                        nextKind() != SteppedRun::StepKind::finish && !results().stages.empty();
  return isInside ? &results().stages.back() : nullptr;
}

Status RecordedRun::forward(const Beat &limit) {
  TILERIG_TRY(SteppedRun::DoneStep done, run->step(limit));
  steps.push_back(std::move(done));
  forgetOldChanges();
  return success();
}

void RecordedRun::forgetOldChanges() {
  ChangeLog &changes = *run->runState().changes;
  for (; changes.sizeBytes() > historyBytes && firstUndoable + 1 < steps.size(); ++firstUndoable) {
    steps[firstUndoable].beat.ended.reset();
    changes.forgetBefore(steps[firstUndoable + 1].changesBefore);
  }
}

Status RecordedRun::back() {
  if (steps.size() <= firstUndoable)
    return repeat(steps.size() - 1);
  run->undo(std::move(steps.back()));
  steps.pop_back();
  return success();
}

Status RecordedRun::rewind(size_t count) {
  if (count < firstUndoable)
    return repeat(count);
  while (steps.size() > count)
    TILERIG_CHECK_OK(back());
  return success();
}

Status RecordedRun::repeat(size_t count) {
  const std::vector<SteppedRun::DoneStep> before = std::exchange(steps, {});
  firstUndoable = 0;
  ++repetitions;
  run.reset();
  run = std::make_unique<SteppedRun>(machine, inputs, options, true);
  for (size_t i = 0; i < count; ++i) {
    const ValueReplay::DoneBeat &beat = before[i].beat;
    // Rows are computed together as before.
    const bool isRow = before[i].kind == SteppedRun::StepKind::beat && beat.beat.kind == BeatKind::row;
    TILERIG_CHECK_OK(forward(isRow ? Beat{beat.endTick} : lastBeat));
  }
  return success();
}

} // namespace tilerig::emulator
