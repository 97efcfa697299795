// What standard operators give that have no operation of their own: those that only ever run on the host.
#pragma once

#include "compiler/Import/NodeReader.h"

namespace tilerig {

// One for each result; sizes that depend on values are open. Empty where nothing is known of the operator.
using HostTypes = llvm::SmallVector<mlir::RankedTensorType>;

// Of a node of ONNX's own domain. Refuses one whose operands or attributes cannot be.
Result<HostTypes> hostTypesOf(const NodeReader &node);

} // namespace tilerig
