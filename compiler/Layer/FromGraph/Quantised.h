// Lowering of models that are quantised already: their integers become values of quantised types with the
// model's own scales and zero points.
#pragma once

#include "compiler/Layer/IR/LayerBuilder.h"

namespace tilerig::compiler {

// The quantised type of 8-bit integers with these parameters. `axis` is the axis of the value along which the
// scales vary, if there are several.
Result<mlir::Type> quantisedType(mlir::Type storage, mlir::Value scale, mlir::Value zeroPoint, int64_t axis);

// The integers `integers` as a value of this quantised type. A constant is converted. A model input, and the
// layers that only move its elements, get the new type, if all readers other than `reader` interpret the
// integers by scales. Any other value must have the type already.
Result<mlir::Value> asQuantised(mlir::Value integers, mlir::Type type, LayerBuilder &to,
                                mlir::Operation *reader = nullptr);

// Like asQuantised(), but for integers whose scale is irrelevant, so that only their zero point is given.
// `zeroPoint` may be null, which means 0.
Result<mlir::Value> asIntegers(mlir::Value integers, mlir::Value zeroPoint, int64_t axis, LayerBuilder &to);

} // namespace tilerig::compiler
