// Helpers for bug injection into passes: find the operations that a pass changed, and edit their constants.
#pragma once

#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Inject/Passes/PassBugs.h"
#include "compiler/Layer/IR/Layer.h"
#include "isa/Base/Tensor/Tensor.h"

#include <functional>
#include <vector>

namespace tilerig::compiler {

using Doubles = std::vector<double>;

// The elements of a float constant of level graph or layer; empty if the value is not such a constant.
std::optional<Doubles> floatsOf(mlir::Value value);
// Replaces a constant operand of one operation by a new constant of the same type with the given elements.
void setConstant(mlir::OpOperand &operand, const Doubles &elements);
// Replaces a constant operand of one operation by a new constant: the function `reorder`, applied to the old
// tensor.
void setConstant(mlir::OpOperand &operand, const std::function<Tensor(const Tensor &)> &reorder);

// Searches the operations that a rewrite of the pass changed for one whose type is among the types Ops and
// for which `holds` returns true. Returns the first such operation; null if there is none.
template <class... Ops>
mlir::Operation *findChanged(const RewriteView &rewrite, llvm::function_ref<bool(mlir::Operation *)> holds) {
  for (mlir::Operation *operation : rewrite.changed)
    if (llvm::isa<Ops...>(operation) && holds(operation))
      return operation;
  return nullptr;
}

// The error which says that the bug, with its drawn parameters, cannot be injected into the operation.
inline Status noPlace(std::string reason) { return unsupported("the bug", std::move(reason)); }

} // namespace tilerig::compiler
