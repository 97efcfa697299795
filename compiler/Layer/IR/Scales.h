// Multipliers of integer sums, computed in fp32 and rounded after each step exactly as in the exported ONNX
// model.
#pragma once

#include "compiler/Layer/IR/Types.h"

#include <vector>

namespace tilerig::compiler::layer {

// Multiplier of a sum of integer products: fl(fl(a * b) / result), where a and b are the scales of the
// operands, `result` is the scale of the result, and fl rounds to fp32; fl(a * b) if the result has no
// quantised type. There is one multiplier for each channel of b, or a single one.
std::vector<float> productScales(mlir::Type a, mlir::Type b, mlir::Type result);

// Multiplier that turns the exact sum of `count` integers into their average: fl(from / fl(to * fl(count))),
// where `from` is the scale of the integers, `to` the scale of the result, and fl rounds to fp32.
float averageFactor(mlir::Type from, mlir::Type to, int64_t count);

} // namespace tilerig::compiler::layer
