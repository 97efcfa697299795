// Constant folding of operations of the dialect `graph`. It serves two parts of the compiler: the importer,
// which computes shapes, and the pass fold-constants.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <mlir/IR/Operation.h>

namespace tilerig::compiler {

// The result of an operation whose operands are all constants, computed at compile time. Returns nullopt if
// an operand is not constant, if the operation has several results, or if it cannot be folded.
std::optional<Tensor> evaluate(mlir::Operation *operation);

} // namespace tilerig::compiler
