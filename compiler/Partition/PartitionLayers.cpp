#include "compiler/Partition/Layers.h"
#include "compiler/Passes/Passes.h"

namespace tilerig {

#define GEN_PASS_DEF_PARTITIONLAYERS
#include "compiler/Passes/Passes.h.inc"

namespace {

struct PartitionLayersPass : impl::PartitionLayersBase<PartitionLayersPass> {
  void runOnOperation() override {
    if (!llvm::hasSingleElement(getOperation().getBody())) {
      getOperation().emitOpError("has not one block, as a network has");
      return signalPassFailure();
    }
    const std::vector<mlir::Operation *> layers = layersOf(getOperation());
    const std::vector<PlacedLayer> placed = placedLayers(layers);
    const std::vector<LayerRegion> regions = formRegions(placed);
    if (const Status checked = verifyRegions(placed, regions); !checked) {
      getOperation().emitOpError(checked.error().message());
      return signalPassFailure();
    }
    // The text is in the order in which it runs; constants are of no region, and come first.
    mlir::Operation *end = getOperation().getBody().front().getTerminator();
    mlir::OpBuilder builder(&getContext());
    for (size_t r = 0; r < regions.size(); ++r)
      for (const size_t i : regions[r].layers) {
        layers[i]->setAttr(regionAttribute, builder.getI64IntegerAttr(static_cast<int64_t>(r)));
        layers[i]->moveBefore(end);
      }
  }
};

} // namespace

} // namespace tilerig
