#include "compiler/Passes/Pipelines.h"

#include "compiler/Partition/PartitionLayers.h"
#include "compiler/Passes/Passes.h"

#include <mlir/Pass/PassRegistry.h>
#include <mlir/Transforms/Passes.h>

namespace tilerig::compiler {

constexpr llvm::StringLiteral fusionsOfLayers[] = {"fuse-biases", "fuse-functions", "fuse-addends"};

// --- Simplification of the exported graph ---
void buildImproveGraph(mlir::OpPassManager &module, llvm::ArrayRef<std::string> without) {
  SimplifyGraphOptions options;
  for (const std::string &name : without)
    if (!llvm::is_contained(fusionsOfLayers, name))
      options.without.push_back(name);
  module.addPass(createSimplifyGraph(options));
}
void buildImproveGraph(mlir::OpPassManager &module) { buildImproveGraph(module, {}); }

std::vector<std::string> optionalPasses() {
  std::vector<std::string> names = passesOfSimplifyGraph();
  names.insert(names.end(), std::begin(fusionsOfLayers), std::end(fusionsOfLayers));
  return names;
}

void buildMakeLayers(mlir::OpPassManager &module) { buildMakeLayers(module, MakeLayersOptions()); }
void buildMakeLayers(mlir::OpPassManager &module, const MakeLayersOptions &options) {
  const auto fuse = [&](mlir::OpPassManager &manager, std::unique_ptr<mlir::Pass> pass) {
    if (!llvm::is_contained(options.without, pass->getArgument()))
      manager.addPass(std::move(pass));
  };
  mlir::OpPassManager &manager = module.nest<mlir::func::FuncOp>();

  // --- Layers of the accelerator, operators of the host ---
  // Most layers on images get a transpose to the machine's axis order in front of them and a transpose back
  // behind them. Between two such layers the transposes cancel, and the canonicaliser removes them.
  manager.addPass(createFormLayers());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());

  // --- Epilogues ---
  // Biases are fused before functions, since an addition behind a function is not a bias; functions before
  // addends, so that an addition that becomes an addend already has its own function.
  fuse(manager, createFuseBiases());
  fuse(manager, createFuseFunctions({.roundsLast = options.roundsLast}));
  // For models that are quantised already: the next pass turns their products into products of integers, into
  // which addends can be fused, too.
  manager.addPass(createFoldConversions());
  fuse(manager, createFuseAddends());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());

  // --- Places (host or accelerator), with as few switches as possible ---
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

} // namespace tilerig::compiler
