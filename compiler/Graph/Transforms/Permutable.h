// Which operations can work on tensors with permuted axes, and how their attributes change.
//
// The argument `perm` states how tensors are permuted: axis j of the original tensor is axis perm[j] of the
// permuted one.
#pragma once

#include "compiler/Graph/IR/Graph.h"

namespace tilerig::compiler {

// Whether the operation computes its result with permuted axes if the operands that permutedOperands() lists
// are permuted in the same way.
bool isPermutable(mlir::Operation *operation, size_t rank);
// The operands that have to be permuted so that the result is permuted: those of full rank, and constants.
// The remaining operands are scalars, indices and the like.
llvm::SmallVector<mlir::OpOperand *> permutedOperands(mlir::Operation *operation);
// Permutes the axes that the operation's attributes name, and its result type. The caller permutes the
// operands.
void permuteAxes(mlir::Operation *operation, llvm::ArrayRef<int64_t> perm);

// Whether the operation can give the same result from a permuted first operand, with changed attributes: it
// is a reduction whose remaining axes keep their order, or a reshape that can absorb the transpose.
bool takesEither(mlir::Operation *operation, llvm::ArrayRef<int64_t> perm);
// Changes the axis attributes of an operation so that it gives the same result if its first operand is
// permuted. takesEither() must be true for the operation.
void takePermuted(mlir::Operation *operation, llvm::ArrayRef<int64_t> perm);

} // namespace tilerig::compiler
