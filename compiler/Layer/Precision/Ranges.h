// Calibrated value ranges of the values of a module.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/Planning/Quantisation/Calibrate.h"
#include "compiler/Planning/Quantisation/PrecisionPlan.h"

#include <llvm/ADT/DenseMap.h>

namespace tilerig::compiler {

struct Ranges {
  llvm::DenseMap<mlir::Value, ValueRange> values;
  // Range of the sums of each product, before the addend is added and the function applied.
  llvm::DenseMap<mlir::Operation *, ValueRange> sums;
};

// Whether all readers of a value lead to a softmax through elementwise layers only. Such a value is not
// quantised, because a mask may have made it infinite.
bool feedsSoftmax(mlir::Value value);

// Whether a value needs a calibrated range: every float does except constants, whose ranges follow from their
// elements.
bool needsRange(mlir::Value value);

// The calibration request for a module at level `layer`: all its float tensors, under their names in the
// exported model.
CalibrationRequest requestFor(const TensorNames &model, QuantisedType type, const RangeMethod &method);
// The ranges in a calibration table, by value of the module instead of by tensor name. Returns an error if
// the table lacks a tensor.
Result<Ranges> rangesOf(const TensorNames &model, const CalibrationTable &table);

} // namespace tilerig::compiler
