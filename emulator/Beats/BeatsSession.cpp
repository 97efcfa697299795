#include "emulator/Beats/BeatsSession.h"

#include "emulator/Beats/StageFaults.h"
#include "emulator/Defects/ApplyDefects.h"
#include "emulator/Defects/CheckDefects.h"
#include "emulator/Execute/Vectors.h"
#include "emulator/Memory/Inputs.h"
#include "emulator/Memory/Placement.h"
#include "isa/Analyser/Barriers.h"
#include "isa/Analyser/Semaphores.h"
#include "isa/Program/Verify.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace tilerig {

BeatsSession::BeatsSession(Program program, Defects defects)
    : loaded(std::move(program)), defects(std::move(defects)) {}

Result<std::unique_ptr<BeatsSession>> BeatsSession::load(Program program, Defects defects) {
  CHECK_OK(chooseVectors());
  CHECK_OK(verifyProgram(program));
  CHECK_OK(checkDefects(defects, program));
  std::unique_ptr<BeatsSession> session(new BeatsSession(std::move(program), std::move(defects)));
  CHECK_OK(session->prepare());
  return session;
}

Status BeatsSession::prepare() {
  for (const Stage &stage : loaded.stages)
    if (!std::holds_alternative<DeviceStage>(stage.work))
      return unsupported(fmt::format("stage '{}'", stage.name), "stages of the host do not go by beats yet");
  misroute(defects, loaded);
  // Constants that change are our own; all others stay where the file is.
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
  TRY(memories, Memories::of(loaded));
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
  ValueReplay replay(loaded, defects, {options.everyBeat, options.onFault}, memories, initialised, log);
  bool goesOn = true, hasInputs = false;
  for (uint32_t index = 0; index < loaded.stages.size() && goesOn; ++index) {
    if (loaded.stages[index].phase != Phase::initial && !hasInputs) {
      hasInputs = true;
      CHECK_OK(placeInputs(loaded, inputs, memories));
      for (const proto::Tensor &tensor : loaded.metadata.tensors())
        if (tensor.role() == proto::INPUT)
          initialised.add(tensor);
    }
    goesOn = runStage(index, options, replay, log, run);
  }
  run.ended = false;
  if (goesOn) {
    TRY(run.ended, collectOutputs(initialised, log, run));
  }
  run.faults = std::move(log.faults);
  return run;
}

// False if the run ends here.
bool BeatsSession::runStage(uint32_t index, const BeatsOptions &options, ValueReplay &replay, FaultLog &log,
                            BeatsRun &run) const {
  Report report(1000);
  MatchedStage stage{layOutStage(loaded, index, true), {}};
  loseSignals(defects, loaded, stage.threads);
  matchSemaphores(loaded, stage.threads, report);
  matchBarriers(loaded, stage.threads, report);
  stage.problems = std::move(report.problems);

  TimedStage &timed = run.stages.emplace_back();
  timed.costs = costsOf(stage.threads, loaded, options.delays);
  delayTransfers(defects, loaded, timed.costs);
  timed.timeline =
      timeStage(timed.costs, loaded, {.begin = run.cycles, .jitter = options.jitter, .transfers = true});
  run.cycles = timed.timeline.end;

  bool goesOn = replay.runStage(timed.costs, timed.timeline);
  for (Fault &fault : stageFaults(loaded, stage, timed.timeline))
    goesOn = goesOn && log.add(std::move(fault));
  return goesOn && !isStuck(stage.threads, timed.timeline);
}

Result<bool> BeatsSession::collectOutputs(Initialised &initialised, FaultLog &log, BeatsRun &run) {
  for (const proto::Tensor &tensor : loaded.metadata.tensors()) {
    if (tensor.role() != proto::OUTPUT)
      continue;
    if (const auto missing = initialised.firstMissing(tensor)) {
      if (!log.add({.kind = FaultKind::outputNotWritten,
                    .what = fmt::format("nobody has written these bytes of output '{}'", tensor.name()),
                    .cycle = run.cycles,
                    .memory = missing->first,
                    .bytes = missing->second}))
        return false;
      initialised.forEachMissing(tensor, [&](MemoryId memory, ByteRange bytes) {
        std::memset(memories.writable(memory, bytes), std::to_integer<int>(Initialised::pattern),
                    bytes.size());
      });
    }
    TRY(Tensor collected, collectTensor(tensor, memories));
    CHECK_OK(run.outputs.add(tensor.name(), std::move(collected)));
  }
  return true;
}

} // namespace tilerig
