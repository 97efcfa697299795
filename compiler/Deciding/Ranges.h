// Which range each value of a module has, as calibration saw it.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/Precision/CalibrationSource.h"
#include "compiler/Precision/CalibrationTable.h"
#include "compiler/Precision/PrecisionPlan.h"

#include <llvm/ADT/DenseMap.h>

namespace tilerig {

struct Ranges {
  llvm::DenseMap<mlir::Value, ValueRange> values;
  llvm::DenseMap<mlir::Operation *, ValueRange> sums; // of products, before addend and function
};

// Asks for all floats of a module at level `layer`, by the names that they have when it is exported.
Result<CalibrationTable> calibrate(const ExportedModel &model, CalibrationSource &source,
                                   const RangeMethod &method);
// Back from names to values. Refuses a table that lacks one.
Result<Ranges> rangesOf(const ExportedModel &model, const CalibrationTable &table);

} // namespace tilerig
