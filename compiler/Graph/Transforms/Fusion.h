// Helpers for patterns that fuse several operations into one.
#pragma once

#include "compiler/Graph/IR/Origins.h"

#include <mlir/IR/PatternMatch.h>

namespace tilerig::compiler {

using Operations = llvm::SmallVector<mlir::Operation *>;

// The operations that compute `root` from `leaves` and constants, in the order in which they are listed in
// their block; `root` comes last.
Operations between(mlir::ValueRange leaves, mlir::Operation *root);
// Whether no operation outside `operations` reads their intermediate results. The results of the last
// operation may be read anywhere.
bool isPrivate(const Operations &operations);
// The reason that a fusion pattern reports if other operations read intermediate results, so that it cannot
// fuse.
inline constexpr const char *otherReaders = "other operations read an intermediate result";
// MLIR location for an operation that replaces `operations`: it names the ONNX nodes of all of them, and the
// tensor that the last one computes.
mlir::Location locationOf(const Operations &operations);
// Replaces `root` and the operations that compute it from `leaves` by one operation of type Op.
template <class Op, class... Parts>
Op fuseInto(mlir::PatternRewriter &rewriter, mlir::Operation *root, mlir::ValueRange leaves,
            Parts &&...parts) {
  const mlir::Location location = locationOf(between(leaves, root));
  auto fusedOp = Op::create(rewriter, location, root->getResult(0).getType(), std::forward<Parts>(parts)...);
  rewriter.replaceOp(root, fusedOp);
  return fusedOp;
}
// MLIR location of a constant that is created for an operation: the name of the operation's ONNX node, then
// `part`.
mlir::Location partLocation(mlir::Operation *operation, const std::string &part);

} // namespace tilerig::compiler
