// The level `graph` from what exporters write to what the machine is planned for, as one story.
#include "compiler/Passes/Passes.h"
#include "compiler/Passes/Pipelines.h"

#include <mlir/IR/OperationSupport.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Transforms/Passes.h>

namespace tilerig {

#define GEN_PASS_DEF_SIMPLIFYGRAPH
#include "compiler/Passes/Passes.h.inc"

namespace {

using Passes = std::vector<std::unique_ptr<mlir::Pass>>;

Passes story() {
  Passes passes;
  const auto then = [&](std::unique_ptr<mlir::Pass> pass) { passes.push_back(std::move(pass)); };

  // --- What exporters compute, and what computes nothing ---
  // Before all else: patterns look for constants, and see through nothing.
  then(createFoldConstants());
  then(createRemoveNoOps());
  then(mlir::createCSEPass());

  // --- What exporters write out becomes what it is ---
  // Before constants move into weights, as factors and summands belong to these patterns first.
  then(createFuseSilu());
  then(createFuseHardSwish());
  then(createFuseGelu());
  then(createFuseLayerNorm());
  then(createFuseGroupNorm());
  then(createFuseAttention());
  then(createFormGlobalPools());

  // --- Constants go into weights ---
  // Normalisations first, for they become scales and shifts where nothing takes them.
  then(createFoldPads());
  then(createFoldBatchNorm());
  then(createFoldShifts());
  then(createFoldScales());

  // --- Images with channels last ---
  then(createUseChannelsLast());
  then(createSinkTransposes());

  // --- What is left over by all that ---
  then(mlir::createCSEPass());
  then(mlir::createCanonicalizerPass());
  return passes;
}

struct SimplifyGraphPass : impl::SimplifyGraphBase<SimplifyGraphPass> {
  using SimplifyGraphBase::SimplifyGraphBase;

  // Each round finds what the last one has made possible. Two do for most models; a pass that never comes to
  // rest would be our own mistake.
  static constexpr unsigned mostRounds = 10;

  void runOnOperation() override {
    if (mlir::failed(checkNames()))
      return signalPassFailure();
    for (unsigned round = 0; round < mostRounds; ++round) {
      const mlir::OperationFingerPrint before(getOperation());
      mlir::OpPassManager pipeline(mlir::ModuleOp::getOperationName());
      for (auto &pass : story())
        if (!llvm::is_contained(without, pass->getArgument()))
          pipeline.addNestedPass<mlir::func::FuncOp>(std::move(pass));
      if (mlir::failed(runPipeline(pipeline, getOperation())))
        return signalPassFailure();
      if (before == mlir::OperationFingerPrint(getOperation()))
        return;
    }
    getOperation().emitError() << "the graph still changes after " << mostRounds << " rounds";
    signalPassFailure();
  }

  mlir::LogicalResult checkNames() {
    const std::vector<std::string> names = passesOfSimplifyGraph();
    for (const std::string &name : without)
      if (!llvm::is_contained(names, name))
        return getOperation().emitError() << "there is no pass '" << name << "' to leave out";
    return mlir::success();
  }
};

} // namespace

std::vector<std::string> passesOfSimplifyGraph() {
  std::vector<std::string> names;
  for (const auto &pass : story())
    if (const std::string name = pass->getArgument().str(); !llvm::is_contained(names, name))
      names.push_back(name);
  return names;
}

} // namespace tilerig
