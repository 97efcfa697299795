// The whole way from an ONNX file to a program, in one call and in memory: for those who go on with what
// comes out in the same process. `tilerig compile` goes the same way with stops (Tools/Compilation.h).
//
// No MLIR in here, so that callers need not see it.
#pragma once

#include "compiler/Codegen/AssembleProgram.h"
#include "compiler/Driver/DescribedLayer.h"
#include "compiler/Import/OnnxFile.h"
#include "compiler/Precision/CalibrationSource.h"
#include "compiler/Precision/QuantisedEdges.h"

#include <functional>
#include <map>
#include <memory>

namespace tilerig {

// Statistics of a model, an ONNX file in memory that computes the layers in floats.
using StatisticsOf =
    std::function<Result<std::unique_ptr<CalibrationSource>>(const onnx::ModelProto &layers)>;

struct NetworkOptions {
  std::map<std::string, Shape> inputShapes;
  std::string precision = "fp32"; // a name, or a file
  std::string calibrationTable;   // .json; else statistics are asked for where a precision needs them
  StatisticsOf statistics;
  QuantisedEdges edges;
  Machine machine;
  ProgramOptions program;
  bool keepsWorks = false; // for whoever makes other programs of them
};

struct CompiledNetwork {
  Program program; // proved
  StrategyFile strategy;
  onnx::ModelProto oracle;                               // states the arithmetic of the program
  onnx::ModelProto layers;                               // the same layers before their precision was decided
  std::vector<DescribedLayer> oracleLayers, floatLayers; // of these two
  std::string notes;                                     // of the calibration; may be empty
  std::shared_ptr<const DeviceNetwork> works;            // if they are kept
};

Result<CompiledNetwork> compileNetwork(const OnnxFile &file, const NetworkOptions &options);

} // namespace tilerig
