// Compiles an ONNX file to a program in one call and in memory, for callers that use the result in the same
// process. `tilerig compile` takes the same steps but can stop after each of them (Tools/Compilation.h).
//
// This header does not include MLIR, so callers do not depend on it.
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

// Function that creates the source of the statistics from which value ranges are calibrated. `layers`: the
// exported model that computes the layers in floats, whose tensors the statistics describe.
using StatisticsOf =
    std::function<Result<std::unique_ptr<CalibrationSource>>(const onnx::ModelProto &layers)>;

// Function that is called once layers are made, or could not be made: with the judgements of passes, and the
// bug that was injected into one of them.
using OnPasses =
    std::function<void(const PassCheckResult &passes, const std::optional<InjectedPassBug> &bug)>;

// Options of compileNetwork().
struct NetworkOptions {
  std::map<std::string, Shape> inputShapes;
  std::string precision = "fp32"; // name of a precision, or path of a precision plan
  std::string calibrationTable;   // path of a .json table; empty: `statistics` is called if needed
  StatisticsOf statistics;
  QuantisedEdges edges;
  Machine machine;
  ProgramOptions program;
  PassRequests passes; // what the user asks for about passes
  // A bug of stage graph or layer, to inject into a pass, and the seed for what it leaves open.
  std::optional<BugChoice> passBug;
  uint64_t bugSeed = 0;
  const PassCheckOptions *passCheck = nullptr; // how to judge each pass; null: passes are not judged
  OnPasses onPasses = {};                      // may be empty
  bool keepsOps = false; // keeps the device operations, to generate other programs from them
};

// The result of compileNetwork(): the program, and the models that state what it computes.
struct CompiledNetwork {
  Program program; // the proved program
  StrategyFile strategy;
  onnx::ModelProto oracle;                               // model that states the program's exact arithmetic
  onnx::ModelProto layers;                               // the layers in floats, before precision is decided
  std::vector<DescribedLayer> oracleLayers, floatLayers; // the layers in `oracle` and in `layers`
  std::optional<InjectedPassBug> passBug;                // the injected bug, if one was requested
  PassCheckResult passes;                                // judgements of passes
  std::string notes;                                     // notes of the calibration; may be empty
  // Warnings and remarks of passes, for example about layers that may be computed wrongly because of their
  // precision.
  std::vector<std::string> warnings;
  std::shared_ptr<const DeviceNetwork> deviceOps; // device operations; null without `keepsOps`
};

// Compiles a model to a proved program.
Result<CompiledNetwork> compileNetwork(const OnnxFile &file, const NetworkOptions &options);

} // namespace tilerig::compiler
