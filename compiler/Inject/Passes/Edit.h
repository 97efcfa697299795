// Helpers for bug injection into passes: find changed operations and edit their constants.
#pragma once

#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Inject/Passes/PassBugs.h"
#include "compiler/Layer/IR/Layer.h"
#include "isa/Base/Tensor/Tensor.h"

#include <functional>
#include <vector>

namespace tilerig::compiler {

using Doubles = std::vector<double>;

// The elements of a float constant of level graph or layer; empty for other values.
std::optional<Doubles> floatsOf(mlir::Value value);
// Creates a constant of the same type with the given elements, and lets the operation that has this operand
// read it.
void setConstant(mlir::OpOperand &operand, const Doubles &elements);
// For an operand that is a constant: creates a constant with the tensor reorder(old tensor), and lets the
// operation that has this operand read it.
void setConstant(mlir::OpOperand &operand, const std::function<Tensor(const Tensor &)> &reorder);

// The first operation among those that the rewrite changed that is of one of the types Ops and for which
// `holds` returns true; null if there is none.
template <class... Ops>
mlir::Operation *findChanged(const RewriteView &rewrite, llvm::function_ref<bool(mlir::Operation *)> holds) {
  for (mlir::Operation *operation : rewrite.changed)
    if (llvm::isa<Ops...>(operation) && holds(operation))
      return operation;
  return nullptr;
}

// The error that the bug cannot be injected into an operation with the given parameters.
inline Status noPlace(std::string reason) { return unsupported("the bug", std::move(reason)); }

} // namespace tilerig::compiler
