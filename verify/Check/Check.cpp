#include "verify/Check/Check.h"

#include "isa/Base/Support/Heap.h"

namespace tilerig::verify {

Check::Check(SourceModel source, CompiledModel compiled, HandedInputs inputs, Expectation due,
             reference::Threads &threads)
    : source(std::move(source)), compiled(std::move(compiled)), inputTensors(std::move(inputs)),
      due(std::move(due)),
      sources(sourcesOf(this->compiled.oracle.graph(), tensorNames(this->compiled.program))),
      threads(&threads) {}

// Computes the expected tensors, and frees the models that were needed for that.
static Result<Expectation> expect(const SourceModel &source, const CompiledModel &compiled,
                                  const HandedInputs &inputs, reference::Threads &threads) {
  Result<Expectation> due = [&]() -> Result<Expectation> {
    TILERIG_TRY(const Oracle oracle, Oracle::load(source, compiled, threads));
    return oracle.expect(inputs);
  }();
  source.releasePages();
  returnFreedMemory();
  return due;
}

Result<Check> Check::create(const SourceModel &source, const TensorMap &inputs, const CompileOptions &options,
                            reference::Threads &threads) {
  TILERIG_TRY(CompiledModel compiled, compileStep(source, inputs, options, threads));
  returnFreedMemory();
  TILERIG_TRY(HandedInputs handed, handOver(compiled.program, inputs));
  TILERIG_TRY(Expectation due, expect(source, compiled, handed, threads));
  return Check(source, std::move(compiled), std::move(handed), std::move(due), threads);
}

Result<Check> Check::withInputs(const TensorMap &inputs) && {
  TILERIG_TRY(HandedInputs handed, handOver(compiled.program, inputs));
  TILERIG_TRY(Expectation expected, expect(source, compiled, handed, *threads));
  return Check(std::move(source), std::move(compiled), std::move(handed), std::move(expected), *threads);
}

Result<std::vector<EmittedLayer>> Check::judgeEmittedLayers() const {
  return judgeEmitted(compiled, source, inputTensors.reals, due.unrounded(), *threads);
}

Result<std::vector<RoundedLayer>> Check::judgeRoundedLayers() const {
  return judgeRounded(compiled, source.name(), due, *threads);
}

Result<CheckRun> Check::run(Program program, const DeviceOptions &options) const {
  TILERIG_TRY(CheckRun run, runDevice(std::move(program), options));
  run.cause = run.notProved.empty() ? causeOfTraps(run.program, run.accumulated.traps)
                                    : causeOfFindings(run.program, run.findings, sources);
  return run;
}

Result<CheckRun> Check::runDevice(Program program, const DeviceOptions &options) const {
  CheckRun run{.program = std::move(program)};
  Objection objection = proveAnew(run.program);
  // A program that is not proved free of races is emulated in small steps, in order of time. In each step an
  // instruction processes one row or slice of its data.
  run.notProved = std::move(objection.problem);
  run.order = objection.order;
  run.findings = std::move(objection.findings);
  run.counts = std::move(objection.counts);
  if (options.stopsAtFaults && !run.notProved.empty()) {
    run.accumulated.faults = {run.notIsolated = run.notProved};
    return run;
  }
  TILERIG_TRY(run.accumulated, runAccumulated(run.program, inputTensors.integers, options));
  if (agree(run.program, due, run.accumulated))
    return run;
  TILERIG_CHECK_OK(runOthers(options, run));
  auto isolated =
      runIsolated(run.program, inputTensors.integers, givenTensors(run.program, sources, due), options);
  if (isolated && isolated->ended)
    run.isolated = *std::move(isolated);
  else
    run.notIsolated = isolated ? isolated->faults.front() : isolated.error().message();
  return run;
}

// Runs a program that is not proved free of races again, with other latencies. Does nothing for a program
// that is proved free of races, because its results do not depend on latencies.
Status Check::runOthers(DeviceOptions options, CheckRun &run) const {
  for (unsigned i = 0; !run.notProved.empty() && i < options.otherRuns; ++i) {
    options.jitter = options.jitter.value_or(0) + 1;
    TILERIG_TRY(DeviceRun other, runAccumulated(run.program, inputTensors.integers, options));
    if (other.ended)
      run.others.push_back(std::move(other));
  }
  return success();
}

Status Check::judge(const CheckRun &run, const JudgeOptions &options, const VisitTensor &visit) const {
  return judgeTensors(run.program, sources, due, run.accumulated, run.isolated ? &*run.isolated : nullptr,
                      options, visit);
}

} // namespace tilerig::verify
