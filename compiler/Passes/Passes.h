// The passes of the compiler: see Passes.td.
#pragma once

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Layer/IR/Layer.h"
#include "compiler/Passes/InsertedPasses.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Pass/Pass.h>
#include <mlir/Pass/PassRegistry.h>

namespace tilerig::compiler {

#define GEN_PASS_DECL
#include "compiler/Passes/Passes.h.inc"

// Creates the pass simplify-graph. The passes in `inserted` run between the passes that simplify-graph runs.
std::unique_ptr<mlir::Pass> createSimplifyGraph(const SimplifyGraphOptions &options,
                                                std::vector<InsertedPass> inserted);
// Names of the passes that simplify-graph runs.
std::vector<std::string> passesOfSimplifyGraph();

#define GEN_PASS_REGISTRATION
#include "compiler/Passes/Passes.h.inc"

} // namespace tilerig::compiler
