// The first step of a check: a program for the shapes of the inputs, and what states what it has to compute.
// Done once, however many runs follow, of the program as it is or altered.
#pragma once

#include "compiler/Driver/CompileNetwork.h"
#include "verify/Check/ReferenceRun.h"
#include "verify/Check/SourceModel.h"

namespace tilerig::verify {

struct CompileOptions {
  std::string precision = "fp32"; // a name or a file, as `tilerig compile` takes it
  std::string calibration;        // samples or a table; where it is empty, the inputs of the check
  std::optional<TensorMap> calibrationInputs = {}; // or these in their place
  std::string inputsInWords = "the inputs";        // what the user is told that was calibrated on
  QuantisedEdges edges;
  Machine machine;
  ProgramOptions program;
  bool keepsWorks = false; // for whoever makes other programs of them
};

struct CompiledModel {
  Program program;
  onnx::ModelProto oracle;                               // states every bit
  onnx::ModelProto layers;                               // the same layers in floats
  std::vector<DescribedLayer> oracleLayers, floatLayers; // of these two
  std::string notes;                                     // of the calibration
  StrategyFile strategy;                                 // what was done with each layer
  std::shared_ptr<const DeviceNetwork> works;            // that the program was made of, if they are kept
};

Result<CompiledModel> compileStep(const SourceModel &source, const TensorMap &inputs,
                                  const CompileOptions &options, reference::Threads &threads);

} // namespace tilerig::verify
