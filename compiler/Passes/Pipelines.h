// Passes in the order in which the compiler runs them, each list a story from one level to the next.
#pragma once

#include <mlir/Pass/PassManager.h>

namespace tilerig {

// From level `graph` to level `layer`: `tilerig-opt --lower-to-layers`, and what `tilerig compile` does.
void buildLowerToLayers(mlir::OpPassManager &manager);

void registerPipelines();

} // namespace tilerig
