// Queries about the layers of a function: where they run (accelerator or host), in which region (group of
// layers that run together), and what they cost.
#pragma once

#include "compiler/Layer/IR/Layer.h"
#include "compiler/Layer/Partition/HostForm.h"
#include "compiler/Planning/Partition/Regions.h"
#include "isa/Machine/Machine.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig::compiler {

// Name of the attribute with the number of the region in which a layer runs. A region is a group of layers
// that run together on the accelerator or on the host.
inline constexpr llvm::StringLiteral regionAttribute = "layer.region";

// Name of the attribute with the reason for a layer's place (host or accelerator), if the layer could also
// run in the other place.
inline constexpr llvm::StringLiteral placementAttribute = "layer.placement";

// The layers of a function: all operations except constants, in the order of the function's text.
std::vector<mlir::Operation *> layersOf(mlir::func::FuncOp function);

// A layer that the framework (the host's ONNX interpreter) computes counts as a host layer, because the
// framework runs in the host's process.
LayerPlace placeOf(mlir::Operation *layer);
// Where the layer runs, as a word for reports: "accelerator", "host" (a kernel of the host) or "framework".
std::string_view tierOf(mlir::Operation *layer);
// The reason why the layer runs on the accelerator or on the host.
std::string reasonOfPlace(mlir::Operation *layer);
std::vector<PlacedLayer> placedLayers(const std::vector<mlir::Operation *> &layers);

struct LayerCost {
  // Bytes of the layer's operands and results as stored in DDR. bytesIn includes constants; for a host layer
  // it leaves out operands that an earlier layer of its region has read or computed.
  uint64_t bytesIn = 0, bytesOut = 0;
  // Execution time of the layer: on the accelerator a lower bound, on the host the estimate of
  // isa/Timing/Host.h.
  uint64_t nanoseconds = 0;
};

// The costs of the given layers, which must be in execution order.
std::vector<LayerCost> costsOf(const std::vector<mlir::Operation *> &layers, const Machine &machine);
// Lower bound of a layer's time on the accelerator.
uint64_t acceleratorNanoseconds(mlir::Operation *layer, const Machine &machine);
// Number of operations of the host kernel that computes the layer or, if the layer runs on the accelerator,
// could compute it (`form`); 0 if there is no such kernel.
uint64_t operationsOnHost(mlir::Operation *layer, const std::optional<HostForm> &form);
// Bytes of a tensor in DDR. Elements of types that the machine lacks are counted as i32, u8 or fp32.
uint64_t storedBytes(mlir::Value value);
// Number of multiply-accumulate operations of a layer.
uint64_t macsOf(mlir::Operation *layer);

} // namespace tilerig::compiler
