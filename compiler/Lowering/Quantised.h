// Models that are quantised already: their integers become values of quantised types, with their own
// parameters.
#pragma once

#include "compiler/Lowering/LayerBuilder.h"

namespace tilerig {

// The type that integers of 8 bits have by these parameters; `axis` is that of the value, where there are
// several.
Result<mlir::Type> quantisedType(mlir::Type storage, mlir::Value scale, mlir::Value zeroPoint, int64_t axis);

// Integers as a value of that type. A constant is one; an input of the model becomes one, and what only moves
// its elements, where all who read them do so by scales, `reader` apart. Any other value must be one already.
Result<mlir::Value> asQuantised(mlir::Value integers, mlir::Type type, LayerBuilder &to,
                                mlir::Operation *reader = nullptr);

// The same where only the zero points matter; without them they are 0.
Result<mlir::Value> asIntegers(mlir::Value integers, mlir::Value zeroPoint, int64_t axis, LayerBuilder &to);

} // namespace tilerig
