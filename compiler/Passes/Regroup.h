// Reshapes and transposes that change places.
#pragma once

#include "compiler/Dialect/Graph/Origins.h"
#include "compiler/Dialect/Graph/Shapes.h"

namespace tilerig {

struct Regrouped {
  graph::Dims shape;
  graph::Order perm;
};

// reshape(transpose(x, perm), to) as transpose(reshape(x, result.shape), result.perm), for an x of shape
// `from`: where the reshape joins and splits axes only that lie side by side in x as well. Axes of one
// element lie anywhere.
std::optional<Regrouped> regroup(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> perm,
                                 llvm::ArrayRef<int64_t> to);

bool keepsOrder(llvm::ArrayRef<int64_t> perm);
// Whether a transpose moves no element of such a tensor: only axes of one element change places.
bool movesNothing(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> perm);

} // namespace tilerig
