// From the level `layer` to a network of works: the last that sees MLIR on the way to a program.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/Listing/Cards.h"
#include "compiler/Tiling/DeviceNetwork.h"

namespace tilerig {

// The layers with their precision decided. `emitted` names tensors: a program's are called as those of the
// model that states its arithmetic. Refuses what the machine has no instruction for, by the layer's name.
Result<DeviceNetwork> formWorks(mlir::func::FuncOp function, const std::vector<Card> &cards,
                                const ExportedModel &emitted);

} // namespace tilerig
