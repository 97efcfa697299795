// What patterns need that make one operation of several.
#pragma once

#include "compiler/Dialect/Graph/Origins.h"

#include <mlir/IR/PatternMatch.h>

namespace tilerig {

using Operations = llvm::SmallVector<mlir::Operation *>;

// What `root` is computed by, from `leaves` and constants on: in the order of the block, the root last.
Operations between(mlir::ValueRange leaves, mlir::Operation *root);
// Whether only these read what they compute, but for the last.
bool isPrivate(const Operations &operations);
// The nodes of all; the tensor of the last.
mlir::Location locationOf(const Operations &operations);
// Replaces an operation, and what it is computed by from `leaves` on, by one of another kind.
template <class Op, class... Parts>
Op fuseInto(mlir::PatternRewriter &rewriter, mlir::Operation *root, mlir::ValueRange leaves,
            Parts &&...parts) {
  const mlir::Location location = locationOf(between(leaves, root));
  auto made = Op::create(rewriter, location, root->getResult(0).getType(), std::forward<Parts>(parts)...);
  rewriter.replaceOp(root, made);
  return made;
}
// For a constant that is made for an operation: its node, and what the constant is.
mlir::Location partLocation(mlir::Operation *operation, const std::string &what);

} // namespace tilerig
