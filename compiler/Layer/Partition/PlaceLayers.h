// Moves layers from the accelerator to the host if they run faster there. Each layer gets an annotation with
// the reason for its place (accelerator or host) and its execution time in both places (ChoosePlaces.h).
//
// Precondition: the precision is decided, and every layer has its final element types.
#pragma once

#include "compiler/Planning/Partition/Regions.h"
#include "compiler/Planning/Strategy/StrategyFile.h"
#include "isa/Base/Support/Error.h"
#include "isa/Machine/Machine.h"

#include <llvm/ADT/DenseMap.h>
#include <memory>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Pass/Pass.h>

namespace tilerig::compiler {

// Places (accelerator or host) that the user requests for layers. An error is returned if the requested place
// cannot run the layer.
using WantedPlaces = llvm::DenseMap<mlir::Operation *, LayerPlace>;

// Returns whether any layer has moved to the other place (accelerator or host); the regions of layers then
// have to be formed again.
Result<bool> placeLayers(mlir::func::FuncOp function, const Machine &machine, const WantedPlaces &wanted);
// Creates the pass place-layers for a machine and a strategy file that are already in memory.
std::unique_ptr<mlir::Pass> createPlaceLayers(Machine machine, StrategyFile strategy);

} // namespace tilerig::compiler
