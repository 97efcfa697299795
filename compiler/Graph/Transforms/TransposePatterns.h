// Rewrite patterns that move transposes past neighbouring operations or cancel them.
#pragma once

#include <mlir/IR/PatternMatch.h>

namespace tilerig::compiler {

// Adds the patterns, which never increase the number of transposed elements and never move a transpose to an
// earlier place.
void addTransposePatterns(mlir::RewritePatternSet &patterns);
// Adds the pattern that replaces a transpose that moves no element by a reshape. Applied last: before that,
// the transpose may still cancel with another one.
void addMovesNothingPattern(mlir::RewritePatternSet &patterns);

} // namespace tilerig::compiler
