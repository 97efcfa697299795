// Warnings about layers whose numbers do not fit their precision.
#pragma once

#include "compiler/Planning/Quantisation/Precision.h"

#include <mlir/IR/Operation.h>
#include <optional>
#include <string>

namespace tilerig::compiler {

// Warns if finite weights of a product have become infinite. `original` and `stored` are the weights before
// and after their conversion to the float precision; nullopt if they are not constant.
std::optional<std::string> warnOfInfiniteWeights(mlir::Operation *product, Precision precision,
                                                 mlir::Value original, mlir::Value stored);

// Warns if a sum of a product (convolution or matrix product) of 8-bit integers may exceed the accumulator's
// 32 bits: on the machine, and in the exported model, such a sum wraps around. For constant weights, the
// largest possible sum is computed from the weights themselves.
std::optional<std::string> warnOfWideSums(mlir::Operation *product);

} // namespace tilerig::compiler
