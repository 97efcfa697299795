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
// shape `from`. This is possible only if the axes that the reshape joins or splits are also adjacent in x;
// axes of size 1 are ignored.
std::optional<Regrouped> regroup(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> perm,
                                 llvm::ArrayRef<int64_t> to);

bool keepsOrder(llvm::ArrayRef<int64_t> perm);
// Whether a transpose leaves all elements in their order in memory, because it only moves axes of size 1.
bool movesNothing(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> perm);

} // namespace tilerig::compiler
