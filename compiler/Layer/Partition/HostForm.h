// Finds host kernels for layers of the accelerator: which layers a host kernel can compute with bit-identical
// results.
#pragma once

#include "compiler/Layer/IR/Layer.h"

#include <optional>

namespace tilerig::compiler {

struct HostForm {
  llvm::StringRef kernel;
  llvm::SmallVector<mlir::NamedAttribute> parameters;
};

// The host kernel that can compute a layer, with its parameters. Nullopt if there is none, or if the host
// would see the layer's tensors with another axis order or other values than the accelerator does.
std::optional<HostForm> hostFormOf(mlir::Operation *layer);

// The host kernel for a layer with elements of types that no instruction can use, such as float64 and 16-bit
// integers, or for a function of integers that no instruction computes. Nullopt like hostFormOf().
std::optional<HostForm> hostFormWithoutInstructions(mlir::Operation *layer);

// Replaces the layer by an operation that calls the host kernel `form`, and returns that operation; the layer
// is erased.
layer::HostOp moveToHost(mlir::Operation *layer, const HostForm &form);

} // namespace tilerig::compiler
