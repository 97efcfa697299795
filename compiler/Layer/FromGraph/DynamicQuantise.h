// Tensors that are quantised at run time, with a scale and a zero point that follow from their values.
#pragma once

#include "compiler/Layer/FromGraph/Lowerings.h"

namespace tilerig::compiler {

// Lowers DynamicQuantizeLinear, if all readers of its integers can interpret them without their scale.
Lowered quantiseDynamically(graph::DynamicQuantizeLinearOp op, LayerBuilder &to);

// The sums of a product of integers a and constant integers b, [depth, outputs], without the zero points of both.
// `sums` are computed with the zero point of b and without that of a, which is known only at run time: its product
// with the sums over the columns of b is subtracted.
mlir::Value withoutZeroPoint(mlir::Value sums, mlir::Value zeroPointOfA, mlir::Value b,
                             mlir::Value zeroPointOfB, LayerBuilder &to);

} // namespace tilerig::compiler
