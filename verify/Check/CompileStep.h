// First step of a check: compiles a program for the shapes of the inputs, and emits the models that state
// what the program has to compute. One compilation serves any number of runs, including runs of altered
// programs.
#pragma once

#include "compiler/Pipelines/CompileNetwork.h"
#include "verify/Check/ReferenceRun.h"
#include "verify/Check/SourceModel.h"

namespace tilerig::verify {

struct CompileOptions {
  std::string precision = "fp32"; // name of a precision, or of a file that sets the precision of each layer
  std::string calibration;        // file of samples or ranges; empty: calibrates on the check's inputs
  // Tensors to calibrate on if `calibration` names no file. Without them, the inputs of the check are used.
  std::optional<TensorMap> calibrationInputs = {};
  std::string inputsInWords = "the inputs"; // description of the calibration source, for messages
  compiler::QuantisedEdges edges;
  Machine machine;
  compiler::ProgramOptions program;
  compiler::PassRequests passes;
  // A bug to inject into a pass, and a seed. The seed selects the place of the bug and those of its
  // parameters that the choice leaves open.
  std::optional<BugChoice> passBug = {};
  uint64_t bugSeed = 0;
  bool judgesPasses = false; // whether to judge each pass of the compiler (compiler/PassCheck/PassCheck.h)
  // Function that receives the judgements of passes, even if the compilation fails; may be empty.
  compiler::OnPasses onPasses = {};
  bool keepsOps = false; // whether to keep the compiler's device operations, into which bugs can be injected
};

struct CompiledModel {
  Program program;
  onnx::ModelProto oracle; // the emitted model (ONNX), which states every bit of each layer's result
  onnx::ModelProto layers; // the same layers in floats, as they are before the pass decide-precision
  // Descriptions of the layers in the model `oracle`, and of those in the model `layers`.
  std::vector<compiler::DescribedLayer> oracleLayers, floatLayers;
  std::optional<compiler::InjectedPassBug> passBug; // bug that was injected into a pass
  compiler::PassCheckResult passes;                 // judgements of passes
  std::string notes;                                // messages of the calibration of value ranges
  std::vector<std::string> warnings; // the compiler's warnings, such as of layers with too low a precision
  compiler::StrategyFile strategy;   // the strategy (how layers are split among tiles) that was chosen
  // The device operations that the program was generated from; null unless `keepsOps` is set.
  std::shared_ptr<const compiler::DeviceNetwork> deviceOps;
};

Result<CompiledModel> compileStep(const SourceModel &source, const TensorMap &inputs,
                                  const CompileOptions &options, reference::Threads &threads);

// Statistics of the tensors of the model `layers`, run by the reference on one sample, from which value
// ranges are calibrated. `name` is the model's name for error messages.
Result<std::unique_ptr<compiler::CalibrationSource>> statisticsOf(const onnx::ModelProto &layers,
                                                                  const std::string &name,
                                                                  const TensorMap &sample,
                                                                  reference::Threads &threads);

} // namespace tilerig::verify
