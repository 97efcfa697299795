#include "verify/Check/Device.h"

#include "emulator/Beats/BeatsSession.h"
#include "emulator/Defects/DefectFile.h"
#include "emulator/Framework/ReferenceFramework.h"
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Base/Tensor/Spill.h"
#include "isa/Program/CutOutputs.h"
#include "verify/Check/Conflicts.h"

namespace tilerig::verify {

namespace {

Finding findingOf(const emulator::Fault &fault) {
  Finding finding{.by = FoundBy::trap,
                  .kind =
                      std::string(EnumNames<emulator::FaultKind>::values[static_cast<size_t>(fault.kind)]),
                  .text = fault.description,
                  .memory = fault.memory,
                  .bytes = fault.bytes,
                  .cycle = fault.cycle};
  if (fault.place)
    finding.places.push_back(*fault.place);
  finding.places.insert(finding.places.end(), fault.others.begin(), fault.others.end());
  return finding;
}

void addFault(const emulator::Fault &fault, const Program &program, DeviceRun &run) {
  run.faults.push_back(describe(fault, program));
  run.traps.push_back(findingOf(fault));
}

FindingCounts countsOf(const Analysis &analysis) {
  FindingCounts counts;
  for (size_t kind = 0; kind < numProblemKinds; ++kind)
    if (analysis.counts[kind])
      counts[std::string(nameOf(static_cast<ProblemKind>(kind)))] = analysis.counts[kind];
  return counts;
}

// Keeps the captured tensors, with outputs cut to the sizes that the run computed. If a bug made these sizes impossible,
// the outputs stay as they are: the comparison then shows both the wrong sizes and the wrong shapes.
Result<TensorMap> keep(const Program &program, const TensorMap &captured) {
  const auto cut = cutToSizes(program, captured, true);
  TensorMap kept;
  LimitedMemory memory;
  for (const NamedTensor &tensor : cut ? *cut : captured)
    TILERIG_CHECK_OK(kept.add(tensor.name, memory.keep(tensor.tensor)));
  return kept;
}

Result<DeviceRun> runProved(const Program &program, const TensorMap &inputs,
                            emulator::Observation observation, emulator::Defects defects,
                            const DeviceOptions &options) {
  ReferenceFramework framework(options.threads);
  const std::shared_ptr<const Program> borrowed(std::shared_ptr<const void>(),
                                                &program); // it outlives the session
  TILERIG_TRY(auto session, emulator::Session::load(borrowed, {.threads = options.threads,
                                                               .observation = std::move(observation),
                                                               .defects = std::move(defects),
                                                               .framework = &framework}));
  DeviceRun run;
  auto outputs = session->run(inputs);
  if (!outputs && !session->fault())
    return std::move(outputs).error();
  run.ended = static_cast<bool>(outputs);
  if (session->fault())
    addFault(*session->fault(), program, run);
  run.notKept = session->notCaptured();
  if (run.ended) {
    TILERIG_TRY(run.tensors, keep(program, session->captured()));
    run.hostOperations = session->hostOperations();
  }
  return run;
}

Result<DeviceRun> runByBeats(const Program &program, const TensorMap &inputs,
                             const emulator::Observation &observation, emulator::Defects defects,
                             const DeviceOptions &options) {
  ReferenceFramework framework(options.threads);
  TILERIG_TRY(auto session,
              emulator::BeatsSession::load(program, std::move(defects), observation, &framework));
  TILERIG_TRY(const emulator::BeatsRun went,
              session->run(inputs, {.jitter = options.jitter,
                                    .onFault = options.stopsAtFaults ? emulator::OnFault::stop
                                                                     : emulator::OnFault::continueRun}));
  DeviceRun run;
  run.byBeats = proofHolds(program) ? "the effect of the hardware fault depends on time"
                                    : "the program has no proof that it is free of races";
  run.ended = went.ended;
  for (const emulator::Fault &fault : went.faults)
    addFault(fault, program, run);
  run.notKept = session->capturePoints().missing;
  for (const emulator::TimedStage &stage : went.stages)
    run.hostOperations.push_back(stage.hostOperations);
  if (run.ended) {
    TILERIG_TRY(run.tensors, keep(program, session->capturePoints().captured));
  }
  return run;
}

Result<DeviceRun> runObserved(const Program &program, const TensorMap &inputs,
                              emulator::Observation observation, const DeviceOptions &options) {
  emulator::Defects defects;
  if (!options.faultFile.empty()) {
    TILERIG_TRY(defects,
                emulator::parseDefects(options.faultFile, "the description of the hardware fault", program));
  }
  if (!proofHolds(program) || defects.needTime())
    return runByBeats(program, inputs, observation, std::move(defects), options);
  return runProved(program, inputs, std::move(observation), std::move(defects), options);
}

} // namespace

Result<DeviceRun> runAccumulated(const Program &program, const TensorMap &inputs,
                                 const DeviceOptions &options) {
  return runObserved(program, inputs, {.captureAll = true}, options);
}

Result<DeviceRun> runIsolated(const Program &program, const TensorMap &inputs, const TensorMap &replacements,
                              const DeviceOptions &options) {
  return runObserved(program, inputs, {.captureAll = true, .replace = replacements, .captureComputed = true},
                     options);
}

Result<DeviceRun> runReplaced(const Program &program, const TensorMap &inputs, const TensorMap &replacements,
                              const DeviceOptions &options) {
  return runObserved(program, inputs, {.captureAll = true, .replace = replacements}, options);
}

Objection proveAnew(Program &program) {
  if (proofHolds(program))
    return {};
  program.proof.reset();
  const Analysis analysis = analyse(program);
  const Status proved = prove(program, analysis);
  if (proved)
    return {};
  Objection objection{proved.error().message(), orderOf(program, analysis), {}, countsOf(analysis)};
  for (const Problem &problem : analysis.problems)
    objection.findings.push_back(verify::findingOf(problem));
  return objection;
}

} // namespace tilerig::verify
