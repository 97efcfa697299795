// Bugs of passes over levels `graph` and `layer`. To inject a bug, the result of a correct rewrite is changed
// to the result that a wrong pass would have produced.
#pragma once

#include "isa/Bugs/Draw.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig::compiler {

// One rewrite of a pass. If a pass does not report single rewrites, all of its changes count as one rewrite.
struct RewriteView {
  std::string_view pass;
  // The operation that the rewrite replaced, in a copy of the function from before the rewrite; or null.
  mlir::Operation *matched;
  llvm::SmallVector<mlir::Operation *> changed; // operations that the rewrite created or changed, in order
  mlir::func::FuncOp function;
};

// A bug that can be injected into passes. isa/Bugs/Catalogue.h describes the bug under the same id.
struct PassBug {
  std::string_view id;
  std::span<const std::string_view> passes; // names of the passes that can have the bug
  // Finds an operation that can have the bug: one that the rewrite changed, or a neighbour of one. Null if
  // there is none.
  mlir::Operation *(*find)(const RewriteView &rewrite);
  // Injects the bug into the operation that find() returned. Returns an error if the bug's drawn parameters
  // do not suit the operation.
  Status (*inject)(const RewriteView &rewrite, mlir::Operation *found, BugDraw &draw);
};

std::span<const PassBug> foldingBugs(); // bugs in constant folding
std::span<const PassBug> orderBugs();   // bugs with wrong axes, permutations or orders of operands
std::span<const PassBug> fusionBugs();  // bugs that lose or move operations, or change windows and positions
std::span<const PassBug> precisionBugs(); // bugs with wrong scales or zero points of quantised tensors
// The pass bug with this identifier; null if there is none.
const PassBug *findPassBug(std::string_view id);

} // namespace tilerig::compiler
