// Converts every float tensor of a module at level `graph` to double, so that rounding does not hide what a
// pass does.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinOps.h>

namespace tilerig::compiler {

// Constants that were widened before, so that a module can be widened again without another copy.
using WidenedConstants = llvm::DenseMap<mlir::Attribute, mlir::ElementsAttr>;

void widenFloats(mlir::ModuleOp module, WidenedConstants &widened);

} // namespace tilerig::compiler
