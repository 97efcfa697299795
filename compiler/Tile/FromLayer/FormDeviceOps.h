// Lowers the MLIR level `layer` to device operations. All later steps that produce the program work without
// MLIR.
#pragma once

#include "compiler/Tile/FromLayer/LowerToTile.h"

#include <mlir/IR/BuiltinOps.h>

namespace tilerig::compiler {

// Lowers the layers of the function `main`, whose precision is decided. Tensors get the names that they have
// in the exported ONNX model, which states the program's arithmetic. Returns an error with the layer's name
// if the machine has no instruction for it.
Result<DeviceNetwork> formDeviceOps(mlir::ModuleOp module, const TileLowering &lowering);

} // namespace tilerig::compiler
