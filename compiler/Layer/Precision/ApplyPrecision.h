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
  bool allowsNineBits = true; // false: no tensor gets 9-bit integers, whatever the precision plan says
};

// Function that creates the source of the statistics from which the value ranges of tensors are calibrated.
// Its argument `layers` is the exported ONNX model that computes the layers in floats; the statistics
// describe the tensors of this model.
using CalibrationMaker =
    std::function<Result<std::unique_ptr<CalibrationSource>>(const ExportedModel &layers)>;

// Whether activation functions whose results leave the device become layers of their own, so that the vector
// engine rounds these results to nine bits. It is the value of the option rounds-last of the pass
// fuse-functions.
Result<bool> roundsLast(const PrecisionOptions &options);
// Whether no layer becomes a layer of 8-bit integers. It is the value of the option any-function of the pass
// fuse-addends.
Result<bool> keepsFloats(const PrecisionOptions &options);

// Messages for the user about the conversion of a module to a precision.
struct PrecisionNotes {
  std::string calibration;           // the samples used for calibration; empty without calibration
  std::vector<std::string> warnings; // layers for which the requested precision is unsuitable
  CalibrationTable table = {};       // the calibrated ranges; empty without calibration
};

// Converts the module to the requested precision. Without a `maker`, the statistics for calibration come from
// `tilerig reference`, run on the samples that the options name.
Result<PrecisionNotes> applyPrecision(mlir::ModuleOp module, const PrecisionOptions &options,
                                      const CalibrationMaker &maker = {});
// Creates the pass decide-precision. `notes`, if not null, receives messages for the user; warnings are
// emitted as diagnostics instead.
std::unique_ptr<mlir::Pass> createDecidePrecision(const PrecisionOptions &options, CalibrationMaker maker,
                                                  PrecisionNotes *notes);

} // namespace tilerig::compiler
