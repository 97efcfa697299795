// Releases the memory of constants that are no longer used.
#pragma once

#include <mlir/IR/BuiltinOps.h>

namespace tilerig::compiler {

// MLIR keeps a resource as long as its context, and every pass that changes weights creates new ones. No
// other module of the context may be in use.
void releaseUnusedConstants(mlir::ModuleOp module);

} // namespace tilerig::compiler
