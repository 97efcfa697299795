// Records the fusions of layers that a pass has refused, and the reasons.
#pragma once

#include "compiler/Layer/IR/Layer.h"

#include <string>

namespace tilerig::compiler {

// Records on the layer why it was not fused into the layers that compute its operands, with one reason for
// each of these layers, and emits the reasons as remarks of the pass named `pass`. Empty reasons are ignored:
// they mean that an observer of rewrites (Passes/RewriteObservers.h) has prevented the fusion.
void recordNotFused(mlir::Operation *layer, llvm::StringRef pass, const std::vector<std::string> &reasons);

// Returns a reason such as "the result of Conv has 1 other readers"; empty if no other operation reads the
// result.
std::string otherReadersOf(mlir::Operation *producer);
// Returns the reason "the result of Conv has another type or shape", with the kind of the producer.
std::string otherType(mlir::Operation *producer);
// Returns the reason "the epilogue of Conv already applies relu", with the producer's kind and function.
std::string usedByFunction(mlir::Operation *producer, layer::FunctionAttr function);

} // namespace tilerig::compiler
