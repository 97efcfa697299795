// Lowering of the MLIR level `layer` to device operations: the last step on the way to a program that uses
// MLIR.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/Layer/Facts/Cards.h"
#include "compiler/Tile/Ops/DeviceNetwork.h"

namespace tilerig::compiler {

// Lowers layers whose precision is decided. `emitted`: the exported ONNX model that states the program's
// arithmetic; its tensor names become the program's. Returns an error with the layer's name if the machine
// has no instruction for it.
Result<DeviceNetwork> formDeviceOps(mlir::func::FuncOp function, const std::vector<Card> &cards,
                                    const ExportedModel &emitted);

} // namespace tilerig::compiler
