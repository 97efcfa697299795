// Products of matrices, for the families of lowerings that make them.
#pragma once

#include "compiler/Lowering/LayerBuilder.h"

namespace tilerig {

// The axes in front of the last two broadcast. b is outputs by depth, or depth by outputs where transposed;
// the element type is a's where no other is given.
mlir::Value multiply(mlir::Value a, mlir::Value b, bool transposedB, mlir::Value bias, mlir::Value addend,
                     LayerBuilder &to, mlir::Type result = {});

} // namespace tilerig
