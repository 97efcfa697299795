// Exchanges a reshape with the transpose in front of it.
#pragma once

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"

namespace tilerig::compiler {

struct Regrouped {
  graph::Dims shape;
  graph::Order perm;
};

// Rewrites reshape(transpose(x, perm), to) as transpose(reshape(x, result.shape), result.perm), for x of
// shape `from`. Possible only if all axes that the reshape joins or splits are adjacent in x, too; axes of
// size 1 are ignored.
std::optional<Regrouped> regroup(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> perm,
                                 llvm::ArrayRef<int64_t> to);

bool keepsOrder(llvm::ArrayRef<int64_t> perm);
// Whether a transpose of this shape moves no element: only axes of size 1 change places.
bool movesNothing(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> perm);

} // namespace tilerig::compiler
