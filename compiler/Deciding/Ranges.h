// Which range each value of a module has, as calibration saw it.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/Precision/Calibrate.h"
#include "compiler/Precision/PrecisionPlan.h"

#include <llvm/ADT/DenseMap.h>

namespace tilerig {

struct Ranges {
  llvm::DenseMap<mlir::Value, ValueRange> values;
  llvm::DenseMap<mlir::Operation *, ValueRange> sums; // of products, before addend and function
};

// Whether a value is read only on the way to a softmax, element by element. It stays a float, and a mask may
// have made it infinite.
bool feedsSoftmax(mlir::Value value);

// What has to be calibrated: all floats of a module at level `layer`, by the names that they have when it is
// exported.
CalibrationRequest requestFor(const ExportedModel &model, QuantisedType type, const RangeMethod &method);
// Back from names to values. Refuses a table that lacks one.
Result<Ranges> rangesOf(const ExportedModel &model, const CalibrationTable &table);

} // namespace tilerig
