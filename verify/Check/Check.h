// A model checked: compiled, run on the emulator, and every tensor compared with what the emitted model and
// the model itself say, in one process and without files.
//
//   TRY(Check check, Check::create(model, inputs, options, threads)); // compiles, computes what is expected
//   TRY(CheckRun run, check.run(check.program(), device));            // the program as it is
//   CHECK_OK(check.judge(run, judgeOptions, [&](const CheckedTensor &tensor) { ... }));
//   TRY(CheckRun other, check.run(altered, device));                  // and altered, as often as wanted
//
// The steps can be had one by one: CompileStep.h, Expectation.h, Device.h, JudgeTensors.h.
#pragma once

#include "verify/Check/EmittedLayers.h"
#include "verify/Check/HandedInputs.h"
#include "verify/Check/JudgeTensors.h"
#include "verify/Check/ProvedCause.h"
#include "verify/Check/RoundedLayers.h"

namespace tilerig::verify {

// A program as it ran: once as it is and, where something came out wrong, with right inputs for each layer.
struct CheckRun {
  Program program;
  std::string notProved = {};         // the analyser's first problem; empty where there is a proof
  Order order = {};                   // of which kinds it has any
  std::vector<Finding> findings = {}; // the analyser's problems, as many as it keeps,
  FindingCounts counts = {};          // and how many there are of each kind
  std::optional<ProvedCause> cause = {};
  DeviceRun accumulated = {};
  std::vector<DeviceRun> others = {}; // with other latencies, as far as they ended
  std::optional<DeviceRun> isolated = {};
  std::string notIsolated = {}; // why there is none though something is wrong
};

class Check {
public:
  // The threads have to outlive it; they are the reference's.
  static Result<Check> create(const SourceModel &source, const TensorMap &inputs,
                              const CompileOptions &options, reference::Threads &threads);

  const Program &program() const { return compiled.program; }
  const CompiledModel &model() const { return compiled; }
  const Expectation &expectation() const { return due; }
  // Whether a run gave what it should have, bit for bit, in every tensor.
  bool agrees(const CheckRun &run) const { return agree(run.program, due, run.accumulated); }
  const HandedInputs &handedInputs() const { return given; }
  const TensorMap &inputs() const { return given.integers; } // as the program takes them

  // The layers as they were emitted, against the model's own (EmittedLayers.h).
  Result<std::vector<EmittedLayer>> judgeEmittedLayers() const;
  // And in their precision, against themselves in floats (RoundedLayers.h).
  Result<std::vector<RoundedLayer>> judgeRoundedLayers() const;
  // A program with this one's metadata: itself, or one that was altered. That is proved anew, if it can be.
  Result<CheckRun> run(Program program, const DeviceOptions &options) const;
  Status judge(const CheckRun &run, const JudgeOptions &options, const VisitTensor &visit) const;
  std::optional<CheckedTensor> firstDiffering(const CheckRun &run) const {
    return findFirstDiffering(run.program, due, run.accumulated, run.isolated ? &*run.isolated : nullptr);
  }

private:
  Result<CheckRun> runDevice(Program program, const DeviceOptions &options) const;
  Status runOthers(DeviceOptions options, CheckRun &run) const;
  Check(SourceModel source, CompiledModel compiled, HandedInputs inputs, Expectation due,
        reference::Threads &threads);

  SourceModel source;
  CompiledModel compiled;
  HandedInputs given;
  Expectation due;
  TensorSources sources;
  reference::Threads *threads;
};

} // namespace tilerig::verify
