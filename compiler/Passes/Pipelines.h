// Pass pipelines of the compiler, each from one level to the next.
#pragma once

#include <mlir/Pass/PassManager.h>
#include <string>

namespace tilerig::compiler {

// On level `graph`: replaces groups of operators, as exporters write them, by single operations.
void buildImproveGraph(mlir::OpPassManager &module);
// Like buildImproveGraph(module), but without the passes that have these flags, so that the gain of each pass
// can be measured.
void buildImproveGraph(mlir::OpPassManager &module, llvm::ArrayRef<std::string> without);

struct MakeLayersOptions {
  // Flags of the fusion passes to leave out, so that the gain of each can be measured. The other passes of
  // this pipeline cannot be left out, as no layer could run without them.
  llvm::ArrayRef<std::string> without;
  bool roundsLast = false; // 8-bit precisions: sets the option rounds-last of fuse-functions
};
// Lowers `graph` to level `layer`, then fuses and partitions the layers.
void buildMakeLayers(mlir::OpPassManager &module);
void buildMakeLayers(mlir::OpPassManager &module, const MakeLayersOptions &options);
// optionalPasses(): flags of all passes that can be left out of buildImproveGraph() or buildMakeLayers().
// passesOfSimplifyGraph(): flags of the passes that the pass simplify-graph runs.
std::vector<std::string> optionalPasses();
std::vector<std::string> passesOfSimplifyGraph();
// First buildImproveGraph(), then buildMakeLayers(), as in `tilerig-opt --lower-to-layers` and `tilerig
// compile`.
void buildLowerToLayers(mlir::OpPassManager &module);

void registerPipelines();

} // namespace tilerig::compiler
