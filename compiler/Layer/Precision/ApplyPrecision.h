// Converts a module at level `layer` to the precision that the user asked for, with calibration where needed.
#pragma once

#include "compiler/Layer/Precision/Ranges.h"
#include "compiler/Planning/Quantisation/CalibrationSource.h"

#include <functional>
#include <memory>
#include <mlir/Pass/Pass.h>

namespace tilerig::compiler {

struct PrecisionOptions {
  std::string precision = "fp32"; // name of a precision, or path of a plan (PrecisionPlan.h)
  // Path of calibration samples (an .npz file, or a folder of .npz files), or of the .json table of an
  // earlier calibration; empty: the samples are generated from a seed.
  std::string calibration = {};
  uint64_t madeSamples = 8;
  std::string tableFile = {}; // file to which the calibration table is saved; empty: not saved
  unsigned threads = 0;       // number of threads of the reference interpreter
  bool allowsNineBits = true; // false: no tensor gets nine bits, whatever the plan says
};

// Function that creates the source of the statistics from which value ranges are calibrated. `layers`: the
// exported model that computes the layers in floats, whose tensors the statistics describe.
using CalibrationMaker =
    std::function<Result<std::unique_ptr<CalibrationSource>>(const ExportedModel &layers)>;

// Whether activation functions whose results leave the device are to be layers of their own, so that the
// vector engine can round these results to nine bits: the value of the option rounds-last of the pass
// fuse-functions.
Result<bool> roundsLast(const PrecisionOptions &options);

// Messages for the user about the conversion of a module to a precision.
struct PrecisionNotes {
  std::string calibration;           // the samples used for calibration; empty without calibration
  std::vector<std::string> warnings; // layers for which the precision is unsuitable
  CalibrationTable table = {};       // the calibrated ranges; empty without calibration
};

// Converts the module to the precision. Without a `maker`, statistics come from `tilerig reference`, run on
// the samples that the options name.
Result<PrecisionNotes> applyPrecision(mlir::ModuleOp module, const PrecisionOptions &options,
                                      const CalibrationMaker &maker = {});
// The pass decide-precision. `notes`, if not null, receives what to tell the user, except warnings: these are
// diagnostics.
std::unique_ptr<mlir::Pass> createDecidePrecision(const PrecisionOptions &options, CalibrationMaker maker,
                                                  PrecisionNotes *notes);

} // namespace tilerig::compiler
