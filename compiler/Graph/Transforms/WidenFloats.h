// Converts every float tensor of a module at level `graph` to double. A pass can then be checked without the
// rounding errors of smaller types.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinOps.h>

namespace tilerig::compiler {

// Double versions of constants that were converted before, for reuse when the same module is converted again.
using WidenedConstants = llvm::DenseMap<mlir::Attribute, mlir::ElementsAttr>;

void widenFloats(mlir::ModuleOp module, WidenedConstants &widened);

} // namespace tilerig::compiler
