// Factors of sums of integers, each a float that was rounded step by step as the oracle says.
#pragma once

#include "compiler/Dialect/Layer/Types.h"

#include <vector>

namespace tilerig::layer {

// What a sum of products of integers is multiplied by: fl(fl(a * b) / result), or fl(a * b) where the result
// is no quantised type. One for each channel of b, or one.
std::vector<float> productScales(mlir::Type a, mlir::Type b, mlir::Type result);

// What an exact sum of `count` integers is multiplied by to be their average: fl(from / fl(to * fl(count))).
float averageFactor(mlir::Type from, mlir::Type to, int64_t count);

} // namespace tilerig::layer
