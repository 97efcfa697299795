// Describes the layers of a module: their operands, results and element types.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/Pipelines/DescribedLayer.h"
#include "isa/Machine/Machine.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig::compiler {

// Returns a description of each layer of the function, in the function's order. `written` has the names of
// the tensors in the ONNX model to which the function was exported.
std::vector<DescribedLayer> describeLayers(mlir::func::FuncOp function, const Machine &machine,
                                           const TensorNames &written);

} // namespace tilerig::compiler
