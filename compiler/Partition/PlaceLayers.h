// Layers that pay on the host go there, although the accelerator could run them; each says why it is where it
// is, with the times of both places (ChoosePlaces.h).
//
// The precision is decided, and every layer has its final type.
#pragma once

#include "compiler/Partition/Regions.h"
#include "isa/Machine/Machine.h"
#include "isa/Support/Error.h"

#include <llvm/ADT/DenseMap.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig {

// What somebody asks for. Refused where that place cannot run the layer.
using WantedPlaces = llvm::DenseMap<mlir::Operation *, LayerPlace>;

// Whether a layer has moved: they have to be put in regions again then.
Result<bool> placeLayers(mlir::func::FuncOp function, const Machine &machine, const WantedPlaces &wanted);

} // namespace tilerig
