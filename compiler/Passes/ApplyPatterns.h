// Applies the rewrite patterns of a pass, and reports what they do as remarks (Remarks.h).
#pragma once

#include <mlir/IR/PatternMatch.h>

namespace tilerig::compiler {

// Applies the patterns with MLIR's greedy driver. Each rewrite is a remark `applied` of the pass `pass` (its
// flag), and each match that a pattern refuses by notifyMatchFailure() is a remark `missed`. A pattern should
// refuse in this way only what its users would expect to be rewritten.
mlir::LogicalResult applyPatterns(llvm::StringRef pass, mlir::Operation *operation,
                                  mlir::RewritePatternSet patterns);

} // namespace tilerig::compiler
