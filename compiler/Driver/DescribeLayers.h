// The layers of a module, described.
#pragma once

#include "compiler/Driver/DescribedLayer.h"
#include "compiler/Export/Export.h"
#include "isa/Machine/Machine.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig {

// `written` is what the function was written as. In the order of the layers.
std::vector<DescribedLayer> describeLayers(mlir::func::FuncOp function, const Machine &machine,
                                           const ExportedModel &written);

} // namespace tilerig
