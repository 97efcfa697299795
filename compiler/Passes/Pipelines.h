// Passes in the order in which the compiler runs them, each list a story from one level to the next.
#pragma once

#include <mlir/Pass/PassManager.h>
#include <string>

namespace tilerig {

// On level `graph`: what exporters wrote in many operators in few.
void buildImproveGraph(mlir::OpPassManager &module);
// From there to level `layer`, fused and partitioned.
void buildMakeLayers(mlir::OpPassManager &module);
// The same without some of their passes, by their flags: to see what each is worth. Of the second list only
// fusions can go, as the others are needed for layers to run.
void buildImproveGraph(mlir::OpPassManager &module, llvm::ArrayRef<std::string> without);
void buildMakeLayers(mlir::OpPassManager &module, llvm::ArrayRef<std::string> without);
// The flags of the passes that can be left out of either list, and those of them that simplify-graph runs.
std::vector<std::string> optionalPasses();
std::vector<std::string> passesOfSimplifyGraph();
// Both: `tilerig-opt --lower-to-layers`, and what `tilerig compile` does.
void buildLowerToLayers(mlir::OpPassManager &module);

void registerPipelines();

} // namespace tilerig
