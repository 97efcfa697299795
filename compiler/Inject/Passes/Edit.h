// Helpers for the bugs of passes.
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
// Lets the operand read a new constant of the same type with these elements.
void setConstant(mlir::OpOperand &operand, const Doubles &elements);
// The same with the elements moved by `reorder`, for constants of any type.
void setConstant(mlir::OpOperand &operand, const std::function<Tensor(const Tensor &)> &reorder);

// The first changed operation that has one of these types and for which the condition holds; null if none has.
template <class... Ops>
mlir::Operation *findChanged(const RewriteView &rewrite, llvm::function_ref<bool(mlir::Operation *)> holds) {
  for (mlir::Operation *operation : rewrite.changed)
    if (llvm::isa<Ops...>(operation) && holds(operation))
      return operation;
  return nullptr;
}

// A refusal of parameters for which the operation has no such bug.
inline Status noPlace(std::string reason) { return unsupported("the bug", std::move(reason)); }

} // namespace tilerig::compiler
