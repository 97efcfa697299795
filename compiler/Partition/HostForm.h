// Layers of the accelerator that a kernel of the host can carry out as well, with the same bits.
#pragma once

#include "compiler/Dialect/Layer/Layer.h"

#include <optional>

namespace tilerig {

struct HostForm {
  llvm::StringRef kernel;
  llvm::SmallVector<mlir::NamedAttribute> parameters;
};

// None where the host has no kernel for it, or would see its tensors in another order of axes or as other
// numbers than the accelerator does.
std::optional<HostForm> hostFormOf(mlir::Operation *layer);

// The layer as the host's, in its place; the layer is gone.
layer::HostOp moveToHost(mlir::Operation *layer, const HostForm &form);

} // namespace tilerig
