#include "verify/Check/Device.h"

#include "emulator/Beats/BeatsSession.h"
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"

namespace tilerig::verify {

namespace {

Result<DeviceRun> runProved(const Program &program, const TensorMap &inputs, Observation observation,
                            const DeviceOptions &options) {
  TRY(auto session,
      Session::load(program, {.threads = options.threads, .observation = std::move(observation)}));
  DeviceRun run;
  auto outputs = session->run(inputs);
  if (!outputs && !session->fault())
    return std::move(outputs).error();
  run.ended = static_cast<bool>(outputs);
  if (session->fault())
    run.faults.push_back(describe(*session->fault(), program));
  run.notKept = session->notCaptured();
  if (run.ended)
    run.tensors = session->captured();
  return run;
}

Result<DeviceRun> runByBeats(const Program &program, const TensorMap &inputs, const Observation &observation,
                             const DeviceOptions &options) {
  TRY(auto session, BeatsSession::load(program, {}, observation));
  TRY(const BeatsRun went, session->run(inputs, {.jitter = options.jitter, .onFault = OnFault::continueRun}));
  DeviceRun run;
  run.byBeats = "the program has no proof";
  run.ended = went.ended;
  for (const Fault &fault : went.faults)
    run.faults.push_back(describe(fault, program));
  run.notKept = session->sights().missing;
  if (run.ended)
    run.tensors = session->sights().captured;
  return run;
}

Result<DeviceRun> runObserved(const Program &program, const TensorMap &inputs, Observation observation,
                              const DeviceOptions &options) {
  if (!proofHolds(program))
    return runByBeats(program, inputs, observation, options);
  return runProved(program, inputs, std::move(observation), options);
}

} // namespace

Result<DeviceRun> runAccumulated(const Program &program, const TensorMap &inputs,
                                 const DeviceOptions &options) {
  return runObserved(program, inputs, {.captureAll = true}, options);
}

Result<DeviceRun> runIsolated(const Program &program, const TensorMap &inputs, const TensorMap &given,
                              const DeviceOptions &options) {
  return runObserved(program, inputs, {.captureAll = true, .replace = given, .captureComputed = true},
                     options);
}

Program proved(Program program) {
  if (!proofHolds(program)) {
    program.proof.reset();
    (void)prove(program); // one that is not goes by beats
  }
  return program;
}

} // namespace tilerig::verify
