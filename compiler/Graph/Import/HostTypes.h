// Result types of standard ONNX operators that have no operation in the dialect, as they only ever run on the
// host.
#pragma once

#include "compiler/Graph/Import/NodeReader.h"

namespace tilerig::compiler {

// The types of the results of a node; sizes that depend on values are dynamic. Empty if the operator is
// unknown.
using HostTypes = llvm::SmallVector<mlir::RankedTensorType>;

// Result types of a node of ONNX's own domain. Refuses invalid operands or attributes.
Result<HostTypes> hostTypesOf(const NodeReader &node);

} // namespace tilerig::compiler
