// Pass pipelines of the compiler, each from one level to the next.
#pragma once

#include <mlir/Pass/PassManager.h>
#include <string>

namespace tilerig::compiler {

// On level `graph`: replaces groups of operators, as exporters write them, by single operations.
void buildImproveGraph(mlir::OpPassManager &module);
// Lowers `graph` to level `layer`, then fuses and partitions the layers.
void buildMakeLayers(mlir::OpPassManager &module);
// The same pipelines without the passes with these flags, to measure what each pass gains. In the second
// pipeline only fusions can be left out, as layers need the other passes to run.
void buildImproveGraph(mlir::OpPassManager &module, llvm::ArrayRef<std::string> without);
void buildMakeLayers(mlir::OpPassManager &module, llvm::ArrayRef<std::string> without);
// Flags of the passes that can be left out of either pipeline, and of those that simplify-graph runs.
std::vector<std::string> optionalPasses();
std::vector<std::string> passesOfSimplifyGraph();
// Both pipelines in sequence, as in `tilerig-opt --lower-to-layers` and `tilerig compile`.
void buildLowerToLayers(mlir::OpPassManager &module);

void registerPipelines();

} // namespace tilerig::compiler
