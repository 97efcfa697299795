// A module at level `layer` in the precision that the user asked for, calibrated where that takes ranges.
#pragma once

#include "compiler/Deciding/Ranges.h"
#include "compiler/Precision/CalibrationSource.h"

#include <functional>
#include <memory>

namespace tilerig {

struct PrecisionOptions {
  std::string precision = "fp32"; // a name, or a file: PrecisionPlan.h
  // Samples (.npz, or a folder of them), or a table that an earlier calibration saved (.json); made from a
  // seed where it is empty.
  std::string calibration;
  uint64_t madeSamples = 8;
  std::string tableFile; // where to save the table; empty for nowhere
  unsigned threads = 0;  // of the reference
};

// Makes the source of statistics for a model that computes the layers in floats.
using CalibrationMaker =
    std::function<Result<std::unique_ptr<CalibrationSource>>(const ExportedModel &layers)>;

// What was decided, in words for the user; empty where there was nothing to calibrate. Without a maker
// `tilerig reference` is started on the samples that the options name.
Result<std::string> applyPrecision(mlir::ModuleOp module, const PrecisionOptions &options,
                                   const CalibrationMaker &maker = {});

} // namespace tilerig
