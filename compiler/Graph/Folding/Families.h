// The operations that compile-time evaluation computes, by family; Evaluate.cpp chooses between them.
#pragma once

#include "compiler/Graph/IR/Shapes.h"
#include "isa/Base/Tensor/TakenElements.h"

#include <mlir/IR/Operation.h>

namespace tilerig::compiler {

using Operands = std::vector<Tensor>;

inline Shape shapeOfResult(mlir::Operation *operation) {
  const auto shape = graph::shapeOf(operation->getResult(0));
  return Shape(shape.begin(), shape.end());
}

Tensor broadcastTo(const Tensor &tensor, const Shape &shape);

// Each returns nullopt for an operation that it does not compute.
std::optional<Tensor> evaluateArithmetic(mlir::Operation *operation, const Operands &operands);
std::optional<Tensor> evaluateMovement(mlir::Operation *operation, const Operands &operands);

} // namespace tilerig::compiler
