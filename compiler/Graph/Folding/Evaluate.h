// Constant evaluation of operations of the dialect `graph`, used to compute shapes during import and by the
// constant-folding pass.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <mlir/IR/Operation.h>

namespace tilerig::compiler {

// The result of the operation on these operands; an optional operand that the operation lacks is nullopt.
// Returns nullopt if the operation cannot be folded.
std::optional<Tensor> evaluate(mlir::Operation *operation,
                               const std::vector<std::optional<Tensor>> &operands);

} // namespace tilerig::compiler
