// Memory of constants that no operation has any more.
#pragma once

#include <mlir/IR/BuiltinOps.h>

namespace tilerig {

// MLIR keeps a resource as long as its context, and every pass that changes weights makes new ones. `module`
// must be all that is left in its context.
void releaseUnusedConstants(mlir::ModuleOp module);

} // namespace tilerig
