// A module at level `layer` in the precision that the user asked for, calibrated where that takes ranges.
#pragma once

#include "compiler/Deciding/Ranges.h"

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

// What was decided, in words for the user; empty where there was nothing to calibrate.
Result<std::string> applyPrecision(mlir::ModuleOp module, const PrecisionOptions &options);

} // namespace tilerig
