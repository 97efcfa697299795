// First step of a check: compiles a program for the shapes of the inputs. Also returns ONNX models that state
// what the program has to compute. After one compilation, the program and altered versions of it can be run
// any number of times.
#pragma once

#include "compiler/Pipelines/CompileNetwork.h"
#include "verify/Check/ReferenceRun.h"
#include "verify/Check/SourceModel.h"

namespace tilerig::verify {

struct CompileOptions {
  std::string precision = "fp32"; // name of a precision, or of a file that sets the precision of each layer
  std::string calibration;        // file of samples or ranges; empty: calibrates on the check's inputs
  // Tensors to calibrate on if no calibration file is given. Without them, the inputs of the check are used.
  std::optional<TensorMap> calibrationInputs = {};
  std::string inputsInWords = "the inputs"; // where the calibration samples come from, for messages
  compiler::QuantisedEdges edges;
  Machine machine;
  compiler::ProgramOptions program;
  compiler::PassRequests passes;
  // A bug to inject into a pass of the compiler, and a seed, which selects where the bug is injected and the
  // bug's unspecified parameters.
  std::optional<BugChoice> passBug = {};
  uint64_t bugSeed = 0;
  // Whether to check, after each pass of the compiler, that the model still computes the same (PassCheck.h). Otherwise only the
  // decisions on types are checked, which takes little time.
  bool judgesPasses = false;
  // Function that receives what is known of the compiler's passes, even if the compilation fails; may be empty.
  compiler::OnPasses onPasses = {};
  bool keepsOps = false; // whether to keep the compiler's device operations, into which bugs can be injected
};

struct CompiledModel {
  Program program;
  onnx::ModelProto oracle; // the emitted ONNX model, which states every bit of each layer's result
  // The layers of the emitted ONNX model in floats, as they are before the pass decide-precision.
  onnx::ModelProto layers;
  // Descriptions of the layers of the emitted ONNX model in the chosen precision, and of those in floats.
  std::vector<compiler::DescribedLayer> oracleLayers, floatLayers;
  std::optional<compiler::InjectedPassBug> passBug; // bug that was injected into a pass of the compiler
  compiler::PassCheckResult passes;                 // judgements of passes
  std::string notes;                                // messages from the calibration of value ranges
  std::vector<std::string> warnings; // the compiler's warnings, such as of layers with too low a precision
  compiler::StrategyFile strategy;   // the strategy (how layers are split among tiles) that was chosen
  // The device operations from which the program was generated; null if the options do not ask for them.
  std::shared_ptr<const compiler::DeviceNetwork> deviceOps;
};

Result<CompiledModel> compileStep(const SourceModel &source, const TensorMap &inputs,
                                  const CompileOptions &options, reference::Threads &threads);

// Runs the layers in floats on one sample by the reference interpreter, and returns statistics of their
// tensors, from which value ranges are calibrated. `name` is the model's name for error messages.
Result<std::unique_ptr<compiler::CalibrationSource>> statisticsOf(const onnx::ModelProto &layers,
                                                                  const std::string &name,
                                                                  const TensorMap &sample,
                                                                  reference::Threads &threads);

} // namespace tilerig::verify
