#include "compiler/Passes/Pipelines.h"

#include "compiler/Partition/PartitionLayers.h"
#include "compiler/Passes/Passes.h"

#include <mlir/Pass/PassRegistry.h>
#include <mlir/Transforms/Passes.h>

namespace tilerig {

// --- What the exporter wrote, without what it need not have written ---
void buildImproveGraph(mlir::OpPassManager &module) { module.addPass(createSimplifyGraph()); }

void buildMakeLayers(mlir::OpPassManager &module) {
  mlir::OpPassManager &manager = module.nest<mlir::func::FuncOp>();

  // --- Layers of the accelerator, operators of the host ---
  // Two transposes in a row are what stands between most neighbours; canonical, they are gone.
  manager.addPass(createFormLayers());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());

  // --- Epilogues ---
  // Biases before functions, since a bias is no longer one behind a function; functions before addends, so
  // that a sum brings its own function along.
  manager.addPass(createFuseBiases());
  manager.addPass(createFuseFunctions());
  // Of models that are quantised already; their sums can then take addends as others do.
  manager.addPass(createFoldConversions());
  manager.addPass(createFuseAddends());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());

  // --- Who does what, in as few turns as can be ---
  manager.addPass(createPartitionLayers());
}

void buildLowerToLayers(mlir::OpPassManager &module) {
  buildImproveGraph(module);
  buildMakeLayers(module);
}

void registerPipelines() {
  mlir::registerPass(createPartitionLayers);
  const mlir::PassPipelineRegistration<> lowerToLayers(
      "lower-to-layers", "from level `graph` to level `layer`", buildLowerToLayers);
}

} // namespace tilerig
