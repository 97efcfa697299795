// Bugs of passes over levels `graph` and `layer`: what a pass makes of one operation is changed as a wrong
// pass would have made it.
#pragma once

#include "isa/Bugs/Draw.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig::compiler {

// One rewrite of a pass, or, for passes whose rewrites are not announced, all that the pass changed.
struct RewriteView {
  std::string_view pass;
  mlir::Operation *matched; // in a copy of the function from before the rewrite; may be null
  llvm::SmallVector<mlir::Operation *> changed; // made or changed by the rewrite, in order
  mlir::func::FuncOp function;
};

// A row for each bug; the row of isa/Bugs/Catalogue.h has its description.
struct PassBug {
  std::string_view id;
  std::span<const std::string_view> passes; // arguments of the passes that can have the bug
  // The operation to which the bug can happen, among those that changed or those around them; null if there is
  // none.
  mlir::Operation *(*find)(const RewriteView &rewrite);
  // Changes it; called only if find() has found it. Refuses parameters for which it is impossible.
  Status (*inject)(const RewriteView &rewrite, mlir::Operation *found, BugDraw &draw);
};

std::span<const PassBug> foldingBugs();   // wrong constants
std::span<const PassBug> orderBugs();     // wrong axes, permutations and orders of operands
std::span<const PassBug> fusionBugs();    // operations lost or moved, wrong windows and positions
std::span<const PassBug> precisionBugs(); // wrong scales and zero points
// Null if there is none.
const PassBug *findPassBug(std::string_view id);

} // namespace tilerig::compiler
