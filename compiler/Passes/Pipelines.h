// Pass pipelines of the compiler, each from one level to the next.
#pragma once

#include <mlir/Pass/PassManager.h>
#include <string>

namespace tilerig::compiler {

// On level `graph`: replaces groups of operators, as exporters write them, by single operations.
void buildImproveGraph(mlir::OpPassManager &module);
// Lowers `graph` to level `layer`, then fuses and partitions the layers.
void buildMakeLayers(mlir::OpPassManager &module);
// The two pipelines above without the passes that have these flags, to measure what each pass gains. From
// buildMakeLayers() only fusions can be left out: without its other passes no layer could run.
void buildImproveGraph(mlir::OpPassManager &module, llvm::ArrayRef<std::string> without);
void buildMakeLayers(mlir::OpPassManager &module, llvm::ArrayRef<std::string> without);
// optionalPasses(): flags of the passes that can be left out of one of the two pipelines.
// passesOfSimplifyGraph(): flags of the passes that simplify-graph runs.
std::vector<std::string> optionalPasses();
std::vector<std::string> passesOfSimplifyGraph();
// First buildImproveGraph(), then buildMakeLayers(), as in `tilerig-opt --lower-to-layers` and `tilerig
// compile`.
void buildLowerToLayers(mlir::OpPassManager &module);

void registerPipelines();

} // namespace tilerig::compiler
