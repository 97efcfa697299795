#include "emulator/Beats/BeatsSession.h"

#include "emulator/Beats/StageFaults.h"
#include "emulator/Defects/ApplyDefects.h"
#include "emulator/Defects/CheckDefects.h"
#include "emulator/Execute/Vectors.h"
#include "emulator/Host/HostStage.h"
#include "emulator/Host/Kernels.h"
#include "emulator/Host/Time.h"
#include "emulator/Memory/Inputs.h"
#include "emulator/Memory/Placement.h"
#include "isa/Order/Barriers.h"
#include "isa/Order/Semaphores.h"
#include "isa/Program/CutOutputs.h"
#include "isa/Program/Verify.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace tilerig::emulator {

BeatsSession::BeatsSession(Program program, Defects defects, Framework *framework)
    : loaded(std::move(program)), defects(std::move(defects)), framework(framework) {}

Result<std::unique_ptr<BeatsSession>>
BeatsSession::load(Program program, Defects defects, const Observation &observation, Framework *framework) {
  TILERIG_CHECK_OK(chooseVectors());
  TILERIG_CHECK_OK(verifyProgram(program));
  TILERIG_CHECK_OK(checkDefects(defects, program));
  std::unique_ptr<BeatsSession> session(new BeatsSession(std::move(program), std::move(defects), framework));
  TILERIG_CHECK_OK(session->prepare(observation));
  return session;
}

Status BeatsSession::prepare(const Observation &observation) {
  TILERIG_CHECK_OK(checkHostKernels(loaded, framework));
  misroute(defects, loaded);
  // Constants in which a defect flips bits are copied into memory of their own; all other constants stay in
  // the mapped file.
  for (const FlippedBit &flip : defects.flippedBits)
    for (size_t i = 0; i < loaded.constants.size(); ++i) {
      ConstantData &constant = loaded.constants[i];
      const bool isHit = flip.inDdr && flip.address >= constant.address &&
                         flip.address - constant.address < constant.bytes.size();
      if (!isHit || std::ranges::find(intact, i, &std::pair<size_t, ConstantData>::first) != intact.end())
        continue;
      intact.emplace_back(i, constant);
      auto bytes = std::make_shared<std::vector<std::byte>>(constant.bytes.begin(), constant.bytes.end());
      constant.bytes = *bytes;
      constant.owner = std::move(bytes);
    }
  TILERIG_TRY(memories, Memories::of(loaded));
  TILERIG_TRY(seen, CapturePoints::of(loaded, observation, memories));
  TILERIG_TRY(replacements, replacementsOf(loaded, observation, seen));
  return success();
}

void BeatsSession::restoreConstants() {
  for (const auto &[index, original] : intact)
    std::ranges::copy(original.bytes, const_cast<std::byte *>(loaded.constants[index].bytes.data()));
}

Result<BeatsRun> BeatsSession::run(const TensorMap &inputs, const BeatsOptions &options) {
  restoreConstants();
  memories.clear();
  Initialised initialised(loaded);
  FaultLog log(options.onFault);
  BeatsRun run;
  ValueReplay replay(loaded, defects, {options.everyBeat, options.onFault}, seen, replacements, memories,
                     initialised, log);
  bool goesOn = true, hasInputs = false, hasOutputs = false;
  const auto capture = [](const std::vector<StridedCopy> &copies) {
    for (const StridedCopy &copy : copies)
      copy.run();
  };
  const auto phaseBegins = [&](Phase phase) -> Status {
    if (phase != Phase::initial && !std::exchange(hasInputs, true)) {
      TILERIG_CHECK_OK(placeInputs(loaded, inputs, memories));
      for (const proto::Tensor &tensor : loaded.metadata.tensors())
        if (tensor.role() == proto::INPUT)
          initialised.add(tensor);
      capture(seen.atBegin);
    }
    if (phase == Phase::finishing && !std::exchange(hasOutputs, true)) {
      TILERIG_TRY(goesOn, collectOutputs(initialised, log, run));
      capture(seen.atEnd);
    }
    return success();
  };
  for (uint32_t index = 0; index < loaded.stages.size() && goesOn; ++index) {
    TILERIG_CHECK_OK(phaseBegins(loaded.stages[index].phase));
    if (!goesOn)
      break;
    TimedStage &stage = run.stages.emplace_back(TimedStage{index, run.cycles, run.cycles});
    if (std::holds_alternative<DeviceStage>(loaded.stages[index].work)) {
      goesOn = runDevice(stage, options, replay, log);
    } else {
      TILERIG_TRY(goesOn, runHost(stage, initialised, log));
      for (const CapturePoint &capturePoint : seen.stages[index])
        capturePoint.copy.run();
    }
    run.cycles = stage.end;
  }
  // If the program has no finishing stage, its outputs have not been collected yet and are collected here.
  if (goesOn)
    TILERIG_CHECK_OK(phaseBegins(Phase::finishing));
  run.ended = goesOn;
  run.faults = std::move(log.faults);
  return run;
}

// Runs a device stage. Returns false if a fault or a deadlock ends the run.
bool BeatsSession::runDevice(TimedStage &timed, const BeatsOptions &options, ValueReplay &replay,
                             FaultLog &log) const {
  Report report(1000);
  MatchedStage stage{layOutStage(loaded, timed.index, true), {}};
  loseSignals(defects, loaded, stage.threads);
  matchSemaphores(loaded, stage.threads, report);
  matchBarriers(loaded, stage.threads, report);
  stage.problems = std::move(report.problems);

  timed.costs = costsOf(stage.threads, loaded, options.delays);
  delayTransfers(defects, loaded, *timed.costs);
  timed.timeline =
      timeStage(*timed.costs, loaded, {.begin = timed.begin, .jitter = options.jitter, .transfers = true});
  timed.end = timed.timeline->end;

  bool goesOn = replay.runStage(*timed.costs, *timed.timeline);
  for (Fault &fault : stageFaults(loaded, stage, *timed.timeline))
    goesOn = goesOn && log.add(std::move(fault));
  return goesOn && !isStuck(stage.threads, *timed.timeline);
}

// Runs a host stage. Returns false if a fault ends the run. The host reads whole tensors at the beginning of
// its stage.
Result<bool> BeatsSession::runHost(TimedStage &stage, Initialised &initialised, FaultLog &log) {
  const auto &work = std::get<proto::HostWork>(loaded.stages[stage.index].work);
  const auto isNamedIn = [](const auto &names, const proto::Tensor &tensor) {
    return std::ranges::find(names, tensor.name()) != names.end();
  };
  for (const proto::Tensor &tensor : loaded.metadata.tensors())
    if (isNamedIn(work.inputs(), tensor))
      if (const auto missing = initialised.firstMissing(tensor)) {
        if (!log.add({.kind = FaultKind::uninitialisedRead,
                      .description =
                          fmt::format("these bytes of tensor '{}' have not been written", tensor.name()),
                      .place = Place{.stage = stage.index, .host = true},
                      .cycle = stage.begin,
                      .memory = missing->first,
                      .bytes = missing->second}))
          return false;
        putPattern(tensor, initialised);
      }
  TILERIG_TRY(stage.hostOperations, runHostStage(loaded, work, memories, framework));
  stage.end = stage.begin + costOfHost(loaded, stage.index, stage.hostOperations).cycles;
  for (const proto::Tensor &tensor : loaded.metadata.tensors())
    if (isNamedIn(work.outputs(), tensor))
      initialised.add(tensor);
  for (const Replacement &replacement : replacements)
    if (replacement.tensor->stage() == stage.index)
      for (const Change &change : changesOf(replacement, nullptr, memories))
        change.copy.run();
  return true;
}

void BeatsSession::putPattern(const proto::Tensor &tensor, const Initialised &initialised) {
  initialised.forEachMissing(tensor, [&](MemoryId memory, ByteRange bytes) {
    std::memset(memories.writable(memory, bytes), std::to_integer<int>(Initialised::pattern), bytes.size());
  });
}

Result<bool> BeatsSession::collectOutputs(Initialised &initialised, FaultLog &log, BeatsRun &run) {
  for (const proto::Tensor &tensor : loaded.metadata.tensors()) {
    if (tensor.role() != proto::OUTPUT)
      continue;
    if (const auto missing = initialised.firstMissing(tensor)) {
      if (!log.add(
              {.kind = FaultKind::outputNotWritten,
               .description = fmt::format("these bytes of output '{}' have not been written", tensor.name()),
               .cycle = run.cycles,
               .memory = missing->first,
               .bytes = missing->second}))
        return false;
      putPattern(tensor, initialised);
    }
    TILERIG_TRY(Tensor collected, collectTensor(tensor, memories));
    TILERIG_CHECK_OK(run.outputs.add(tensor.name(), std::move(collected)));
  }
  TILERIG_TRY(run.outputs, cutToSizes(loaded, std::move(run.outputs)));
  return true;
}

} // namespace tilerig::emulator
