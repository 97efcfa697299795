// Releases the memory of constants that are no longer used.
#pragma once

#include <mlir/IR/BuiltinOps.h>

namespace tilerig::compiler {

// Frees the bytes of all constants (resources) of the MLIR context that `module` does not use. MLIR keeps a
// resource as long as its context, and every pass that changes weights creates new resources. No other module
// of the context may be in use, because its constants are freed, too.
void releaseUnusedConstants(mlir::ModuleOp module);

} // namespace tilerig::compiler
