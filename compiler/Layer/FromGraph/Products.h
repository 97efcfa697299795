// Builds layers for matrix products, which several lowerings need.
#pragma once

#include "compiler/Layer/IR/LayerBuilder.h"

namespace tilerig::compiler {

// Layer for the matrix product of a and b, plus bias and addend, each of which may be null. Batch axes (all
// but the last two) broadcast. b has the shape outputs x depth (the summed axis, K), or depth x outputs if
// `transposedB`. The result has the element type of a unless `result` gives another.
mlir::Value multiply(mlir::Value a, mlir::Value b, bool transposedB, mlir::Value bias, mlir::Value addend,
                     LayerBuilder &to, mlir::Type result = {});

} // namespace tilerig::compiler
