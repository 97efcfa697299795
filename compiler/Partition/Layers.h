// The layers of a function as planning sees them.
#pragma once

#include "compiler/Dialect/Layer/Layer.h"
#include "compiler/Partition/Regions.h"
#include "isa/Machine/Machine.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig {

// The attribute that says in which region a layer runs.
inline constexpr llvm::StringLiteral regionAttribute = "layer.region";

// Everything but constants, in the order of the text.
std::vector<mlir::Operation *> layersOf(mlir::func::FuncOp function);

LayerPlace placeOf(mlir::Operation *layer);
// Why it is there.
std::string reasonOfPlace(mlir::Operation *layer);
std::vector<PlacedLayer> placedLayers(const std::vector<mlir::Operation *> &layers);

// --- What a layer costs ---

struct LayerCost {
  uint64_t bytesIn = 0, bytesOut = 0; // as DDR stores them; constants are among those that go in
  uint64_t nanoseconds = 0;           // accelerator: the least that it can be; host: what Timing/Host.h says
};

LayerCost costOf(mlir::Operation *layer, const Machine &machine);
// Of a tensor in DDR. What the machine has no type for is stored in the nearest: i32, u8, fp32.
uint64_t storedBytes(mlir::Value value);
// Multiplications of a layer, each with an addition.
uint64_t macsOf(mlir::Operation *layer);

} // namespace tilerig
