// First step of a check: compiles a program for the shapes of the inputs, and emits the models that state
// what the program has to compute. One compilation serves any number of runs, including runs of altered
// programs.
#pragma once

#include "compiler/Pipelines/CompileNetwork.h"
#include "verify/Check/ReferenceRun.h"
#include "verify/Check/SourceModel.h"

namespace tilerig::verify {

struct CompileOptions {
  std::string precision = "fp32"; // name or file, as `tilerig compile` takes it
  std::string calibration;        // file of samples or ranges; empty: calibrate on the inputs of the check
  // Tensors to calibrate on if `calibration` names no file. Without them, the inputs of the check are used.
  std::optional<TensorMap> calibrationInputs = {};
  std::string inputsInWords = "the inputs"; // calibration source, in words for the user
  compiler::QuantisedEdges edges;
  Machine machine;
  compiler::ProgramOptions program;
  compiler::PassRequests passes;
  // A bug of a pass (stage graph or layer) to inject, and the seed for what it leaves open.
  std::optional<BugChoice> passBug = {};
  uint64_t bugSeed = 0;
  bool judgesPasses = false; // judge each pass of the compiler (compiler/PassCheck/PassCheck.h)
  compiler::OnPasses onPasses =
      {};                // receives the judgements of passes even if the compilation fails; may be empty
  bool keepsOps = false; // keep the device operations, so that mutants can be made from them
};

struct CompiledModel {
  Program program;
  onnx::ModelProto oracle; // the emitted model; states every bit of each layer's result
  onnx::ModelProto layers; // the layers of `oracle` before precisions are decided, in floats
  // Descriptions of the layers in the model `oracle`, and of those in the model `layers`.
  std::vector<compiler::DescribedLayer> oracleLayers, floatLayers;
  std::optional<compiler::InjectedPassBug> passBug; // the injected bug of a pass
  compiler::PassCheckResult passes;                 // judgements of passes
  std::string notes;                                // messages of the calibration
  std::vector<std::string> warnings; // layers that may be computed wrongly because of their precision
  compiler::StrategyFile strategy;   // strategy chosen for each layer
  // The device operations that the program was generated from; null unless `keepsOps` is set.
  std::shared_ptr<const compiler::DeviceNetwork> deviceOps;
};

Result<CompiledModel> compileStep(const SourceModel &source, const TensorMap &inputs,
                                  const CompileOptions &options, reference::Threads &threads);

// Statistics of the layers in floats, run by the reference on one sample, to calibrate ranges with. `name`: of
// the model, for errors.
Result<std::unique_ptr<compiler::CalibrationSource>> statisticsOf(const onnx::ModelProto &layers,
                                                                  const std::string &name,
                                                                  const TensorMap &sample,
                                                                  reference::Threads &threads);

} // namespace tilerig::verify
