// Lowering of models that are quantised already: their integers become values of quantised types with the
// model's own scales and zero points.
#pragma once

#include "compiler/Lowering/LayerBuilder.h"

namespace tilerig::compiler {

// The quantised type of 8-bit integers with these parameters. `axis` is the axis of the value along which the
// scales lie, if there are several.
Result<mlir::Type> quantisedType(mlir::Type storage, mlir::Value scale, mlir::Value zeroPoint, int64_t axis);

// Converts a value of plain integers to this quantised type. Constants are converted. A model input is
// retyped, also through layers that only move its elements, if all its readers other than `reader` interpret
// it by scales. Any other value must have the type already.
Result<mlir::Value> asQuantised(mlir::Value integers, mlir::Type type, LayerBuilder &to,
                                mlir::Operation *reader = nullptr);

// The same for values of which only the zero point matters; without a zero point it is 0.
Result<mlir::Value> asIntegers(mlir::Value integers, mlir::Value zeroPoint, int64_t axis, LayerBuilder &to);

} // namespace tilerig::compiler
