// Constant folding of operations of the dialect `graph`. It serves two parts of the compiler: the importer,
// which computes shapes, and the pass fold-constants.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <mlir/IR/Operation.h>

namespace tilerig::compiler {

// The result of an operation with one result whose operands are all constants. Returns nullopt for all other
// operations, and for those that cannot be folded.
std::optional<Tensor> evaluate(mlir::Operation *operation);

} // namespace tilerig::compiler
