// Rewrite patterns that move transposes past neighbouring operations or cancel them.
#pragma once

#include <mlir/IR/PatternMatch.h>

namespace tilerig::compiler {

// Adds the rewrite patterns for transposes, which never increase the number of transposed elements and never
// move a transpose to an earlier point of the graph.
void addTransposePatterns(mlir::RewritePatternSet &patterns);
// Adds the pattern that replaces a transpose that moves no element by a reshape. It is to be applied after
// all other patterns, as until then the transpose may still cancel with another one.
void addMovesNothingPattern(mlir::RewritePatternSet &patterns);

} // namespace tilerig::compiler
