// Compiles an ONNX file to a program in one call and in memory, for callers that use the result in the same
// process. `tilerig compile` takes the same steps but can stop after each of them (Tools/Compilation.h).
//
// This header does not include MLIR, so callers do not depend on MLIR.
#pragma once

#include "compiler/Graph/Import/OnnxFile.h"
#include "compiler/Inject/Passes/InjectedPassBug.h"
#include "compiler/PassCheck/PassCheck.h"
#include "compiler/Pipelines/DescribedLayer.h"
#include "compiler/Pipelines/PassRequests.h"
#include "compiler/Planning/Quantisation/CalibrationSource.h"
#include "compiler/Planning/Quantisation/QuantisedEdges.h"
#include "compiler/Tile/Emit/AssembleProgram.h"

#include <functional>
#include <map>
#include <memory>

namespace tilerig::compiler {

// Function that creates the source of calibration statistics, from which the value ranges of tensors are
// chosen. Its argument `layers` is the exported ONNX model in float arithmetic; the statistics describe the
// tensors of this model.
using StatisticsOf =
    std::function<Result<std::unique_ptr<CalibrationSource>>(const onnx::ModelProto &layers)>;

// Function that is called once, when the passes down to level `layer` have run or failed. It gets the results
// of checking each pass, and the bug that was injected into one of them, if any.
using OnPasses =
    std::function<void(const PassCheckResult &passes, const std::optional<InjectedPassBug> &bug)>;

// Options of compileNetwork().
struct NetworkOptions {
  std::map<std::string, Shape> inputShapes;
  std::string precision = "fp32"; // name of a precision, or path of a precision plan
  // Path of a calibration table (.json); empty: the ranges of tensors are chosen from `statistics`.
  std::string calibrationTable;
  StatisticsOf statistics;
  QuantisedEdges edges;
  Machine machine;
  ProgramOptions program;
  PassRequests passes; // passes that the user adds, leaves out or prints
  // A bug to inject into a pass. The seed selects the place and those parameters that the description of the
  // bug leaves open.
  std::optional<BugChoice> passBug;
  uint64_t bugSeed = 0;
  // Options for checking each pass; null: passes are not checked.
  const PassCheckOptions *passCheck = nullptr;
  OnPasses onPasses = {}; // may be empty
  // keep the network's device operations, so that other programs can be generated from them
  bool keepsOps = false;
};

// The result of compileNetwork(): the program, and the models that state what it computes.
struct CompiledNetwork {
  Program program; // the proved program
  StrategyFile strategy;
  onnx::ModelProto oracle; // ONNX model that computes exactly what the program computes
  onnx::ModelProto layers; // ONNX model with float arithmetic, from before the precision of layers is decided
  // A description of each layer: its inputs and outputs, and which tensors of both models hold them.
  std::vector<DescribedLayer> oracleLayers, floatLayers;
  std::optional<InjectedPassBug> passBug; // bug that was injected into a pass, if any
  PassCheckResult passes;                 // judgements of passes
  std::string notes;                      // messages of the calibration; may be empty
  // Warnings and remarks of passes, for example about layers that may be computed wrongly because of their
  // precision.
  std::vector<std::string> warnings;
  // the network's device operations; null unless `keepsOps` is set
  std::shared_ptr<const DeviceNetwork> deviceOps;
};

// Compiles an ONNX model to a program. The program is proved free of races.
Result<CompiledNetwork> compileNetwork(const OnnxFile &file, const NetworkOptions &options);

} // namespace tilerig::compiler
