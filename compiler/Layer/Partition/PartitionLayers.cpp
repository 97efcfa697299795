#include "compiler/Layer/Partition/PartitionLayers.h"

#include "compiler/Layer/Partition/Layers.h"

namespace tilerig::compiler {

namespace {

struct PartitionLayersPass : mlir::PassWrapper<PartitionLayersPass, mlir::OperationPass<mlir::func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PartitionLayersPass)

  llvm::StringRef getArgument() const override { return "partition-layers"; }
  llvm::StringRef getDescription() const override {
    return "orders layers in as few regions as possible, in turn on the accelerator and on the host, and "
           "annotates each layer with its region";
  }
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<layer::LayerDialect>();
  }
  void runOnOperation() override {
    if (!llvm::hasSingleElement(getOperation().getBody())) {
      getOperation().emitOpError("must have exactly one block");
      return signalPassFailure();
    }
    const std::vector<mlir::Operation *> layers = layersOf(getOperation());
    const std::vector<PlacedLayer> placed = placedLayers(layers);
    const std::vector<LayerRegion> regions = formRegions(placed);
    if (const Status checked = verifyRegions(placed, regions); !checked) {
      getOperation().emitOpError(checked.error().message());
      return signalPassFailure();
    }
    // Sorts the operations in the function's text into execution order; constants belong to no region and
    // come first.
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

std::unique_ptr<mlir::Pass> createPartitionLayers() { return std::make_unique<PartitionLayersPass>(); }

} // namespace tilerig::compiler
