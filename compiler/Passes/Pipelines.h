// Passes in the order in which the compiler runs them, each list a story from one level to the next.
#pragma once

#include <mlir/Pass/PassManager.h>

namespace tilerig {

// On level `graph`: what exporters wrote in many operators in few.
void buildImproveGraph(mlir::OpPassManager &module);
// From there to level `layer`, fused and partitioned.
void buildMakeLayers(mlir::OpPassManager &module);
// Both: `tilerig-opt --lower-to-layers`, and what `tilerig compile` does.
void buildLowerToLayers(mlir::OpPassManager &module);

void registerPipelines();

} // namespace tilerig
