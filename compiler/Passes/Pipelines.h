// Pass pipelines of the compiler, each from one level to the next.
#pragma once

#include <mlir/Pass/PassManager.h>
#include <string>

namespace tilerig::compiler {

// On level `graph`: replaces groups of operators, as exporters write them, by single operations.
void buildImproveGraph(mlir::OpPassManager &module);
// The same without the passes that have these flags, to measure what each pass gains.
void buildImproveGraph(mlir::OpPassManager &module, llvm::ArrayRef<std::string> without);

struct MakeLayersOptions {
  // Flags of fusions that are left out, to measure what each gains. The other passes of this pipeline cannot
  // be left out, as no layer could run without them.
  llvm::ArrayRef<std::string> without;
  bool roundsLast = false; // option rounds-last of fuse-functions, for 8-bit precisions
};
// Lowers `graph` to level `layer`, then fuses and partitions the layers.
void buildMakeLayers(mlir::OpPassManager &module);
void buildMakeLayers(mlir::OpPassManager &module, const MakeLayersOptions &options);
// optionalPasses(): flags of the passes that can be left out of one of the two pipelines.
// passesOfSimplifyGraph(): flags of the passes that simplify-graph runs.
std::vector<std::string> optionalPasses();
std::vector<std::string> passesOfSimplifyGraph();
// First buildImproveGraph(), then buildMakeLayers(), as in `tilerig-opt --lower-to-layers` and `tilerig
// compile`.
void buildLowerToLayers(mlir::OpPassManager &module);

void registerPipelines();

} // namespace tilerig::compiler
