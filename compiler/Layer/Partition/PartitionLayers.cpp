// The pass partition-layers.
#include "compiler/Layer/Partition/PartitionLayers.h"

#include "compiler/Layer/Partition/Layers.h"
#include "compiler/Passes/PassErrors.h"
#include "compiler/Passes/Passes.h"

namespace tilerig::compiler {

#define GEN_PASS_DEF_PARTITIONLAYERS
#include "compiler/Passes/Passes.h.inc"

Status partitionLayers(mlir::func::FuncOp function) {
  const std::vector<mlir::Operation *> layers = layersOf(function);
  const std::vector<PlacedLayer> placed = placedLayers(layers);
  const std::vector<LayerRegion> regions = formRegions(placed);
  TILERIG_CHECK_OK(verifyRegions(placed, regions));
  // Sorts the operations in the function's text into execution order. Constants come first, because they
  // belong to no region (group of layers that run together).
  mlir::Operation *end = function.getBody().front().getTerminator();
  mlir::OpBuilder builder(function.getContext());
  for (size_t r = 0; r < regions.size(); ++r)
    for (const size_t i : regions[r].layers) {
      layers[i]->setAttr(regionAttribute, builder.getI64IntegerAttr(static_cast<int64_t>(r)));
      layers[i]->moveBefore(end);
    }
  return success();
}

namespace {

struct PartitionLayersPass : impl::PartitionLayersBase<PartitionLayersPass> {
  void runOnOperation() override {
    if (!llvm::hasSingleElement(getOperation().getBody())) {
      getOperation().emitOpError("the function must have exactly one block");
      return signalPassFailure();
    }
    if (const Status done = partitionLayers(getOperation()); !done) {
      emitError(getOperation().getLoc(), done.error());
      signalPassFailure();
    }
  }
};

} // namespace

} // namespace tilerig::compiler
