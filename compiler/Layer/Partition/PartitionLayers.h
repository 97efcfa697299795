// Groups layers into few regions, which run in turn on the accelerator and on the host; sorts the layers by
// region and stores the number of its region on each layer.
#pragma once

#include "isa/Base/Support/Error.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig::compiler {

// Groups the layers of a function into regions. The function must have exactly one block.
Status partitionLayers(mlir::func::FuncOp function);

} // namespace tilerig::compiler
