#include "compiler/Pipelines/Pipelines.h"

#include "compiler/Layer/Partition/PartitionLayers.h"
#include "compiler/Passes/Passes.h"

#include <mlir/Pass/PassRegistry.h>
#include <mlir/Transforms/Passes.h>

namespace tilerig::compiler {

constexpr llvm::StringLiteral fusionsOfLayers[] = {"fuse-biases", "fuse-functions", "fuse-addends"};

// --- Simplification of the exported graph ---
void buildImproveGraph(mlir::OpPassManager &module, const PipelineOptions &options) {
  SimplifyGraphOptions simplify;
  for (const std::string &name : options.without)
    if (!llvm::is_contained(fusionsOfLayers, name))
      simplify.without.push_back(name);
  PassSequence sequence(module, options.inserted);
  sequence.addBefore("simplify-graph");
  module.addPass(createSimplifyGraph(simplify, options.inserted));
  sequence.addAfter("simplify-graph");
  sequence.addAfter("");
}

std::vector<std::string> optionalPasses() {
  std::vector<std::string> names = passesOfSimplifyGraph();
  names.insert(names.end(), std::begin(fusionsOfLayers), std::end(fusionsOfLayers));
  return names;
}

std::vector<std::string> passesOfPipelines() {
  std::vector<std::string> names = optionalPasses();
  names.insert(names.end(),
               {"simplify-graph", "form-layers", "fold-conversions", "decide-precision", "partition-layers"});
  return names;
}

void buildMakeLayers(mlir::OpPassManager &module, const PipelineOptions &options) {
  PassSequence sequence(module, options.inserted);
  const auto fuse = [&](std::unique_ptr<mlir::Pass> pass) {
    if (!llvm::is_contained(options.without, pass->getArgument()))
      sequence.add(std::move(pass));
  };

  // --- Layers of the accelerator, operators of the host ---
  // Most layers on images get a transpose to the machine's axis order in front of them and a transpose back
  // behind them. Between two such layers the transposes cancel, and the canonicaliser removes them.
  sequence.add(createFormLayers());
  sequence.add(mlir::createCanonicalizerPass());
  sequence.add(mlir::createCSEPass());

  // --- Epilogues ---
  // Biases are fused before functions, since an addition behind a function is not a bias; functions before
  // addends, so that an addition that becomes an addend already has its own function.
  fuse(createFuseBiases());
  fuse(createFuseFunctions({.roundsLast = options.roundsLast}));
  // For models that are quantised already: the next pass turns their products into products of integers, into
  // which addends can be fused, too.
  sequence.add(createFoldConversions());
  fuse(createFuseAddends());
  sequence.add(mlir::createCanonicalizerPass());
  sequence.add(mlir::createCSEPass());

  // --- Places (host or accelerator), with as few switches as possible ---
  sequence.add(createPartitionLayers());
}

void buildAfterPrecision(mlir::OpPassManager &module, const PipelineOptions &options) {
  PassSequence sequence(module, options.inserted);
  sequence.addAfter("decide-precision");
  sequence.add(mlir::createCanonicalizerPass());
  sequence.add(mlir::createCSEPass());
  sequence.add(createPartitionLayers());
}

void buildLowerToLayers(mlir::OpPassManager &module) {
  buildImproveGraph(module, {});
  buildMakeLayers(module, {});
}

void registerPipelines() {
  mlir::registerPass(createPartitionLayers);
  const mlir::PassPipelineRegistration<> lowerToLayers(
      "lower-to-layers", "from level `graph` to level `layer`", buildLowerToLayers);
}

} // namespace tilerig::compiler
