// Rewrite patterns that move transposes past neighbouring operations or cancel them.
#pragma once

#include <mlir/IR/PatternMatch.h>

namespace tilerig::compiler {

// Patterns that transpose no more elements than before and never move a transpose to an earlier place.
void addTransposePatterns(mlir::RewritePatternSet &patterns);
// Replaces transposes that move no element by reshapes. Applied last: as transposes they may still cancel.
void addMovesNothingPattern(mlir::RewritePatternSet &patterns);

} // namespace tilerig::compiler
