#include "emulator/Beats/SteppedRun.h"

#include "emulator/Beats/StageFaults.h"
#include "emulator/Defects/ApplyDefects.h"
#include "emulator/Host/HostStage.h"
#include "emulator/Host/Time.h"
#include "emulator/Memory/Inputs.h"
#include "emulator/Memory/Placement.h"
#include "isa/Order/Barriers.h"
#include "isa/Order/Semaphores.h"
#include "isa/Program/CutOutputs.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace tilerig::emulator {

namespace {

void runCopies(const std::vector<StridedCopy> &copies) {
  for (const StridedCopy &copy : copies)
    copy.run();
}

bool isNamedIn(const auto &names, const proto::Tensor &tensor) {
  return std::ranges::find(names, tensor.name()) != names.end();
}

} // namespace

SteppedRun::SteppedRun(LoadedMachine &machine, const TensorMap &inputs, const BeatsOptions &options,
                       bool recordsChanges)
    : state(machine, options.onFault, options.everyBeat, recordsChanges), inputs(inputs), options(options) {
  machine.reset();
}

SteppedRun::StepKind SteppedRun::nextKind() const {
  if (position == Position::beforeStage)
    return run.stages.size() < state.machine.program.stages.size() ? StepKind::enterStage : StepKind::finish;
  if (position == Position::over)
    return StepKind::finish;
  if (replays.back()) // a device stage
    return replays.back()->isDone() ? StepKind::leaveStage : StepKind::beat;
  return hasRunHost ? StepKind::leaveStage : StepKind::hostStage;
}

Result<SteppedRun::DoneStep> SteppedRun::step(const Beat &limit) {
  DoneStep done{.kind = nextKind(),
                .stage = static_cast<uint32_t>(run.stages.size()),
                .hadInputs = hasInputs,
                .hadOutputs = hasOutputs,
                .wentOn = goesOn,
                .cyclesBefore = run.cycles,
                .faultsBefore = state.log.faults.size(),
                .changesBefore = state.changes ? state.changes->now() : 0};
  switch (done.kind) {
  case StepKind::enterStage:
    TILERIG_CHECK_OK(enterStage());
    break;
  case StepKind::beat:
    done.beat = replays.back()->step(limit);
    goesOn = done.beat.goesOn;
    break;
  case StepKind::hostStage:
    TILERIG_CHECK_OK(runHost(run.stages.back()));
    hasRunHost = true;
    break;
  case StepKind::leaveStage:
    leaveStage();
    break;
  case StepKind::finish:
    TILERIG_CHECK_OK(finish());
    break;
  }
  if (!goesOn && position == Position::inStage) // a fault has ended the run in this stage
    run.cycles = run.stages.back().end;
  if (done.kind != StepKind::enterStage && done.kind != StepKind::finish)
    --done.stage; // the stage had been entered before
  return done;
}

void SteppedRun::undo(DoneStep done) {
  switch (done.kind) {
  case StepKind::enterStage:
    if (run.stages.size() >
        done.stage) { // else a fault at the beginning of the phase kept it from being entered
      run.stages.pop_back();
      replays.pop_back();
      problems.pop_back();
    }
    position = Position::beforeStage;
    break;
  case StepKind::beat:
    replays.back()->undo(std::move(done.beat));
    break;
  case StepKind::hostStage:
    hasRunHost = false;
    run.stages.back().hostOperations.reset();
    run.stages.back().end = run.stages.back().begin;
    break;
  case StepKind::leaveStage:
    position = Position::inStage;
    hasRunHost = true;
    break;
  case StepKind::finish:
    position = Position::beforeStage;
    run.ended = false;
    break;
  }
  state.changes->undoTo(done.changesBefore);
  state.log.undoTo(done.faultsBefore);
  if (hasOutputs && !done.hadOutputs)
    run.outputs = {};
  hasInputs = done.hadInputs, hasOutputs = done.hadOutputs, goesOn = done.wentOn;
  run.cycles = done.cyclesBefore;
}

BeatsRun SteppedRun::takeResults() && {
  run.faults = std::move(state.log.faults);
  return std::move(run);
}

Status SteppedRun::enterStage() {
  const auto index = static_cast<uint32_t>(run.stages.size());
  TILERIG_CHECK_OK(phaseBegins(stageOf(index).phase));
  if (!goesOn)
    return success();
  TimedStage &stage = run.stages.emplace_back(TimedStage{index, run.cycles, run.cycles});
  replays.emplace_back();
  problems.emplace_back();
  position = Position::inStage;
  hasRunHost = false;
  if (std::holds_alternative<DeviceStage>(stageOf(index).work))
    enterDevice(stage);
  return success();
}

// Places the inputs before the first inference, and collects the outputs after the last.
Status SteppedRun::phaseBegins(Phase phase) {
  const Program &program = state.machine.program;
  if (phase != Phase::initial && !hasInputs) {
    for (const proto::Tensor &tensor : program.metadata.tensors())
      if (tensor.role() == proto::INPUT)
        willWrite(tensor);
    TILERIG_CHECK_OK(placeInputs(program, inputs, state.machine.memories));
    for (const proto::Tensor &tensor : program.metadata.tensors())
      if (tensor.role() == proto::INPUT)
        state.initialised.add(tensor);
    hasInputs = true;
    runCopies(state.machine.capturePoints.atBegin);
  }
  if (phase == Phase::finishing && !std::exchange(hasOutputs, true)) {
    TILERIG_CHECK_OK(collectOutputs());
    runCopies(state.machine.capturePoints.atEnd);
  }
  return success();
}

void SteppedRun::enterDevice(TimedStage &timed) {
  const Program &program = state.machine.program;
  const Defects &defects = state.machine.defects;
  Report report(1000);
  StageThreads threads = layOutStage(program, timed.index, true);
  loseSignals(defects, program, threads);
  matchSemaphores(program, threads, report);
  matchBarriers(program, threads, report);
  problems.back() = std::move(report.problems);

  timed.costs = costsOf(std::move(threads), program, options.delays);
  delayTransfers(defects, program, *timed.costs);
  timed.timeline =
      timeStage(*timed.costs, program, {.begin = timed.begin, .jitter = options.jitter, .transfers = true});
  timed.end = timed.timeline->end;
  replays.back() = std::make_unique<ValueReplay>(state, *timed.costs, *timed.timeline);
}

// Runs a host stage. The host reads whole tensors at the beginning of its stage.
Status SteppedRun::runHost(TimedStage &stage) {
  const Program &program = state.machine.program;
  const auto &work = std::get<proto::HostWork>(stageOf(stage.index).work);
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (isNamedIn(work.inputs(), tensor))
      if (const auto missing = state.initialised.firstMissing(tensor)) {
        goesOn = state.log.add(
            {.kind = FaultKind::uninitialisedRead,
             .description = fmt::format("these bytes of tensor '{}' have not been written", tensor.name()),
             .place = Place{.stage = stage.index, .host = true},
             .cycle = stage.begin,
             .memory = missing->first,
             .bytes = missing->second});
        if (!goesOn)
          return success();
        putPattern(tensor);
      }
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (isNamedIn(work.outputs(), tensor))
      willWrite(tensor);
  TILERIG_TRY(stage.hostOperations,
              runHostStage(program, work, state.machine.memories, state.machine.framework));
  stage.end = stage.begin + costOfHost(program, stage.index, stage.hostOperations).cycles;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (isNamedIn(work.outputs(), tensor))
      state.initialised.add(tensor);
  for (const Replacement &replacement : state.machine.replacements)
    if (replacement.tensor->stage() == stage.index)
      for (const Change &change : changesOf(replacement, nullptr, state.machine.memories))
        change.copy.run();
  for (const CapturePoint &capturePoint : state.machine.capturePoints.stages[stage.index])
    capturePoint.copy.run();
  return success();
}

void SteppedRun::leaveStage() {
  TimedStage &stage = run.stages.back();
  if (stage.timeline) {
    for (Fault &fault :
         stageFaults(state.machine.program, stage.costs->threads, problems.back(), *stage.timeline))
      goesOn = goesOn && state.log.add(std::move(fault));
    goesOn = goesOn && !isStuck(stage.costs->threads, *stage.timeline);
  }
  run.cycles = stage.end;
  position = Position::beforeStage;
}

Status SteppedRun::finish() {
  // If the program has no finishing stage, its outputs have not been collected yet and are collected here.
  TILERIG_CHECK_OK(phaseBegins(Phase::finishing));
  run.ended = goesOn;
  position = Position::over;
  return success();
}

Status SteppedRun::collectOutputs() {
  const Program &program = state.machine.program;
  for (const proto::Tensor &tensor : program.metadata.tensors()) {
    if (tensor.role() != proto::OUTPUT)
      continue;
    if (const auto missing = state.initialised.firstMissing(tensor)) {
      goesOn = state.log.add(
          {.kind = FaultKind::outputNotWritten,
           .description = fmt::format("these bytes of output '{}' have not been written", tensor.name()),
           .cycle = run.cycles,
           .memory = missing->first,
           .bytes = missing->second});
      if (!goesOn)
        return success();
      putPattern(tensor);
    }
    TILERIG_TRY(Tensor collected, collectTensor(tensor, state.machine.memories));
    TILERIG_CHECK_OK(run.outputs.add(tensor.name(), std::move(collected)));
  }
  TILERIG_TRY(run.outputs, cutToSizes(program, std::move(run.outputs)));
  return success();
}

void SteppedRun::putPattern(const proto::Tensor &tensor) {
  willWrite(tensor);
  state.initialised.forEachMissing(tensor, [&](MemoryId memory, ByteRange bytes) {
    std::memset(state.machine.memories.writable(memory, bytes), std::to_integer<int>(Initialised::pattern),
                bytes.size());
  });
}

void SteppedRun::willWrite(const proto::Tensor &tensor) {
  if (state.changes)
    state.changes->overwrites(tensor);
}

} // namespace tilerig::emulator
