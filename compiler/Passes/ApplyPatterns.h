// Applies the rewrite patterns of a pass, and reports what they do as remarks (Remarks.h).
#pragma once

#include <mlir/IR/PatternMatch.h>

namespace tilerig::compiler {

// Applies the patterns with MLIR's greedy driver. Each rewrite emits a remark `applied` under the name of the
// pass. Each match that a pattern refuses by calling notifyMatchFailure() emits a remark `missed`, so a
// pattern should call it only where users would expect a rewrite.
mlir::LogicalResult applyPatterns(llvm::StringRef pass, mlir::Operation *operation,
                                  mlir::RewritePatternSet patterns);

} // namespace tilerig::compiler
