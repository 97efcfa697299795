// Pass pipelines of the compiler, each from one level to the next.
#pragma once

#include "compiler/Passes/InsertedPasses.h"

#include <mlir/Pass/PassManager.h>
#include <string>

namespace tilerig::compiler {

// How the passes down to level `layer` differ from the usual ones.
struct PipelineOptions {
  // Flags of passes to leave out, so that the gain of each can be measured. Passes that optionalPasses() does
  // not name cannot be left out, as no layer could run without them.
  std::vector<std::string> without = {};
  std::vector<InsertedPass> inserted = {}; // passes to insert
  bool roundsLast = false;                 // 8-bit precisions: sets the option rounds-last of fuse-functions
};

// On level `graph`: replaces groups of operators, as exporters write them, by single operations.
void buildImproveGraph(mlir::OpPassManager &module, const PipelineOptions &options);
// Lowers `graph` to level `layer`, then fuses and partitions the layers.
void buildMakeLayers(mlir::OpPassManager &module, const PipelineOptions &options);
// Cleans up behind the conversions that deciding the precision has added, and partitions the layers again.
void buildAfterPrecision(mlir::OpPassManager &module, const PipelineOptions &options);
// Flags of all passes that can be left out of buildImproveGraph() or buildMakeLayers().
std::vector<std::string> optionalPasses();
// Arguments of all passes of these pipelines, beside which others can be inserted.
std::vector<std::string> passesOfPipelines();
// First buildImproveGraph(), then buildMakeLayers(), as in `tilerig-opt --lower-to-layers` and `tilerig
// compile`.
void buildLowerToLayers(mlir::OpPassManager &module);

void registerPipelines();

} // namespace tilerig::compiler
