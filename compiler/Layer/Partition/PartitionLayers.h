// Groups layers into few regions that alternate between accelerator and host, sorts the layers by region and
// annotates each with its region.
#pragma once

#include "isa/Base/Support/Error.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig::compiler {

// Groups the layers of a function into regions. The function must have exactly one block.
Status partitionLayers(mlir::func::FuncOp function);

} // namespace tilerig::compiler
