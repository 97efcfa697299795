// Which operations can work on tensors whose axes are in another order, and what changes about them.
//
// `perm` always takes what they would work on back to what they work on now: an axis j of today is axis
// perm[j] then.
#pragma once

#include "compiler/Dialect/Graph/Graph.h"

namespace tilerig {

// Whether an operation would give a permuted result if the operands of permutedOperands() were permuted.
bool isPermutable(mlir::Operation *operation, size_t rank);
// Those operands, of that rank or constants; the others are scalars, indices and the like.
llvm::SmallVector<mlir::OpOperand *> permutedOperands(mlir::Operation *operation);
// Changes what an operation says about axes, and the type of its result; its operands are the caller's.
void permuteAxes(mlir::Operation *operation, llvm::ArrayRef<int64_t> perm);

// Whether an operation could as well take its first operand permuted and give the same as now: a reduction,
// or a reshape of what lies in the same order.
bool takesEither(mlir::Operation *operation, llvm::ArrayRef<int64_t> perm);
// Changes what such an operation says about axes.
void takePermuted(mlir::Operation *operation, llvm::ArrayRef<int64_t> perm);

} // namespace tilerig
