// The layers of a function as planning sees them.
#pragma once

#include "compiler/Dialect/Layer/Layer.h"
#include "compiler/Partition/HostForm.h"
#include "compiler/Partition/Regions.h"
#include "isa/Machine/Machine.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig {

// The attribute that says in which region a layer runs.
inline constexpr llvm::StringLiteral regionAttribute = "layer.region";

// Why a layer runs where it does, if it could run elsewhere.
inline constexpr llvm::StringLiteral placementAttribute = "layer.placement";

// Everything but constants, in the order of the text.
std::vector<mlir::Operation *> layersOf(mlir::func::FuncOp function);

LayerPlace placeOf(mlir::Operation *layer);
// Why it is there.
std::string reasonOfPlace(mlir::Operation *layer);
std::vector<PlacedLayer> placedLayers(const std::vector<mlir::Operation *> &layers);

// --- What a layer costs ---

struct LayerCost {
  // As DDR stores them; constants are among those that go in. On the host, what its turn has not at hand.
  uint64_t bytesIn = 0, bytesOut = 0;
  uint64_t nanoseconds = 0; // accelerator: the least that it can be; host: what Timing/Host.h says
};

// Of layers in the order in which they run.
std::vector<LayerCost> costsOf(const std::vector<mlir::Operation *> &layers, const Machine &machine);
// The least that it can be.
uint64_t acceleratorNanoseconds(mlir::Operation *layer, const Machine &machine);
// Of the host's kernel for it, which it is or which it could be; 0 if there is none.
uint64_t operationsOnHost(mlir::Operation *layer, const std::optional<HostForm> &form);
// Of a tensor in DDR. What the machine has no type for is stored in the nearest: i32, u8, fp32.
uint64_t storedBytes(mlir::Value value);
// Multiplications of a layer, each with an addition.
uint64_t macsOf(mlir::Operation *layer);

} // namespace tilerig
