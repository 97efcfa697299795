// What transposes become beside what is next to them, step by step.
#pragma once

#include <mlir/IR/PatternMatch.h>

namespace tilerig {

// Steps after which no more elements are transposed than before, and transposes stand no earlier.
void addTransposePatterns(mlir::RewritePatternSet &patterns);
// What moves no element is a reshape. At last only: as a transpose it can still cancel with another.
void addMovesNothingPattern(mlir::RewritePatternSet &patterns);

} // namespace tilerig
