// Fusions that a pass has refused, and why.
#pragma once

#include "compiler/Layer/IR/Layer.h"

#include <string>

namespace tilerig::compiler {

// Records on the layer why it was not fused into those that compute its operands, one reason for each of
// these, and emits it as a remark of the pass `pass` (its flag). Empty reasons are ignored: an observer of rewrites
// (Passes/RewriteObservers.h) has prevented these fusions.
void recordNotFused(mlir::Operation *layer, llvm::StringRef pass, const std::vector<std::string> &reasons);

// "the result of Conv has 1 other readers", if so; else empty.
std::string otherReadersOf(mlir::Operation *producer);
// "the result of Conv has another type or shape"
std::string otherType(mlir::Operation *producer);
// "the epilogue of Conv already applies relu"
std::string usedByFunction(mlir::Operation *producer, layer::FunctionAttr function);

} // namespace tilerig::compiler
