// Checks a model in one process and without files: compiles it, runs it on the emulator, and compares every
// tensor with what the emitted ONNX model and the original model compute in the reference interpreter.
//
//   TILERIG_TRY(Check check, Check::create(model, inputs, options, threads)); // compiles, runs the reference
//   TILERIG_TRY(CheckRun run, check.run(check.program(), device));            // runs the compiled program
//   TILERIG_CHECK_OK(check.judge(run, judgeOptions, [&](const CheckedTensor &tensor) { ... }));
//   TILERIG_TRY(CheckRun other, check.run(altered, device));                  // runs an altered program
//
// Each step is also available alone: CompileStep.h, Expectation.h, Device.h, JudgeTensors.h.
#pragma once

#include "verify/Check/EmittedLayers.h"
#include "verify/Check/HandedInputs.h"
#include "verify/Check/JudgeTensors.h"
#include "verify/Check/ProvedCause.h"
#include "verify/Check/RoundedLayers.h"

namespace tilerig::verify {

// The results of checking one program: an ordinary run; if any tensor is wrong, also an isolated run, in
// which each layer gets right inputs; and the analyser's findings.
struct CheckRun {
  Program program;
  std::string notProved = {}; // first problem that the analyser found; empty if there is none
  Order order = {}; // which kinds of ordering problems, such as races and deadlocks, the analyser found
  // descriptions of the problems that the analyser found; only the first ones of each kind are described
  std::vector<Finding> findings = {};
  FindingCounts counts = {}; // number of problems that the analyser found, by kind
  std::optional<ProvedCause> cause = {};
  DeviceRun accumulated = {};
  // Only for a program that is not proved free of races: additional runs with other latencies. Runs that a
  // fault ended are left out.
  std::vector<DeviceRun> others = {};
  std::optional<DeviceRun> isolated = {};
  // Why a check with a wrong tensor has no isolated run (in which each layer gets right inputs).
  std::string notIsolated = {};
};

class Check {
public:
  // The threads run the reference interpreter and must outlive the object.
  static Result<Check> create(const SourceModel &source, const TensorMap &inputs,
                              const CompileOptions &options, reference::Threads &threads);

  const Program &program() const { return compiled.program; }
  const CompiledModel &model() const { return compiled; }
  const Expectation &expectation() const { return due; }
  // Whether every tensor of the device's run equals, bit for bit, the expected tensor (the oracle's).
  bool agrees(const CheckRun &run) const { return agrees(run.program, run.accumulated); }
  bool agrees(const Program &program, const DeviceRun &run) const { return agree(program, due, run); }
  const HandedInputs &handedInputs() const { return inputTensors; }
  // The check's inputs, in the types that the program takes.
  const TensorMap &inputs() const { return inputTensors.integers; }

  // Compares what each layer of the emitted ONNX model computes in floats with the original model
  // (EmittedLayers.h).
  Result<std::vector<EmittedLayer>> judgeEmittedLayers() const;
  // Compares what each layer of the emitted ONNX model computes in its precision with what the same layer
  // computes in floats (RoundedLayers.h).
  Result<std::vector<RoundedLayer>> judgeRoundedLayers() const;
  // Runs the compiled program, or an altered program with the same metadata. For an altered program, the
  // analyser checks again whether it is free of races.
  Result<CheckRun> run(Program program, const DeviceOptions &options) const;
  Status judge(const CheckRun &run, const JudgeOptions &options, const VisitTensor &visit) const;
  std::optional<CheckedTensor> firstDiffering(const CheckRun &run) const {
    return findFirstDiffering(run.program, due, run.accumulated, run.isolated ? &*run.isolated : nullptr);
  }

  // The check of the same compiled model on other inputs.
  Result<Check> withInputs(const TensorMap &inputs) &&;

private:
  Result<CheckRun> runDevice(Program program, const DeviceOptions &options) const;
  Status runOthers(DeviceOptions options, CheckRun &run) const;
  Check(SourceModel source, CompiledModel compiled, HandedInputs inputs, Expectation due,
        reference::Threads &threads);

  SourceModel source;
  CompiledModel compiled;
  HandedInputs inputTensors;
  Expectation due;
  TensorSources sources;
  reference::Threads *threads;
};

} // namespace tilerig::verify
