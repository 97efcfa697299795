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
// Makes the operation of `operand` read a new constant of the same type with the given elements.
void setConstant(mlir::OpOperand &operand, const Doubles &elements);
// Makes the operation of `operand`, a constant, read a new constant with the tensor reorder(old tensor).
void setConstant(mlir::OpOperand &operand, const std::function<Tensor(const Tensor &)> &reorder);

// The first of the operations changed by the rewrite that is one of the types Ops and fulfils `holds`; or
// null.
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
