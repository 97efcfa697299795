// The pass simplify-graph: runs all graph passes, in an order in which each enables the next, until nothing
// changes.
#include "compiler/Passes/Passes.h"

#include <mlir/IR/OperationSupport.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Transforms/Passes.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_SIMPLIFYGRAPH
#include "compiler/Passes/Passes.h.inc"

namespace {

using Passes = std::vector<std::unique_ptr<mlir::Pass>>;

Passes story() {
  Passes passes;
  const auto then = [&](std::unique_ptr<mlir::Pass> pass) { passes.push_back(std::move(pass)); };

  // Folding of constants and removal of operations without effect come first, since the patterns of later
  // passes look for constants and do not see through other operations.
  then(createFoldConstants());
  then(createRemoveNoOps());
  then(mlir::createCSEPass());

  // Operators that exporters write out as several nodes are fused before constants are folded into weights,
  // since the fusion patterns look for constant factors and summands.
  then(createFuseSilu());
  then(createFuseHardSwish());
  then(createFuseGelu());
  then(createFuseLayerNorm());
  then(createFuseGroupNorm());
  then(createFuseAttention());
  then(createFormGlobalPools());

  // Then constants are folded into weights: batch normalisations before shifts and scales, since
  // normalisations that cannot be folded become additions and multiplications.
  then(createFoldPads());
  then(createFoldBatchNorm());
  then(createFoldShifts());
  then(createFoldScales());

  // Volumes become images only now, so that constants have been folded into their weights.
  then(createFlattenVolumes());

  // Images get their channels last, and transposes are moved to where they cost least.
  then(createUseChannelsLast());
  then(createSinkTransposes());

  // --- Clean-up ---
  then(mlir::createCSEPass());
  then(mlir::createCanonicalizerPass());
  return passes;
}

struct SimplifyGraphPass : impl::SimplifyGraphBase<SimplifyGraphPass> {
  using SimplifyGraphBase::SimplifyGraphBase;
  SimplifyGraphPass(const SimplifyGraphOptions &options, std::vector<InsertedPass> inserted)
      : SimplifyGraphBase(options), inserted(std::move(inserted)) {}

  // Upper limit of rounds; in each round all passes run once, and use what the previous round made possible.
  // Two rounds suffice for most models, and a failure to converge would be a bug of the passes.
  static constexpr unsigned mostRounds = 10;

  void runOnOperation() override {
    if (mlir::failed(checkNames()))
      return signalPassFailure();
    for (unsigned round = 0; round < mostRounds; ++round) {
      const mlir::OperationFingerPrint before(getOperation());
      mlir::OpPassManager pipeline(mlir::ModuleOp::getOperationName());
      PassSequence sequence(pipeline, inserted);
      for (auto &pass : story())
        if (!llvm::is_contained(without, pass->getArgument()))
          sequence.add(std::move(pass));
      if (mlir::failed(runPipeline(pipeline, getOperation())))
        return signalPassFailure();
      if (before == mlir::OperationFingerPrint(getOperation()))
        return;
    }
    getOperation().emitError() << "the graph still changes after " << mostRounds
                               << " rounds of simplification";
    signalPassFailure();
  }

  mlir::LogicalResult checkNames() {
    const std::vector<std::string> names = passesOfSimplifyGraph();
    for (const std::string &name : without)
      if (!llvm::is_contained(names, name))
        return getOperation().emitError() << "there is no pass '" << name << "' to leave out";
    return mlir::success();
  }

  std::vector<InsertedPass> inserted;
};

} // namespace

std::unique_ptr<mlir::Pass> createSimplifyGraph(const SimplifyGraphOptions &options,
                                                std::vector<InsertedPass> inserted) {
  return std::make_unique<SimplifyGraphPass>(options, std::move(inserted));
}

std::vector<std::string> passesOfSimplifyGraph() {
  std::vector<std::string> names;
  for (const auto &pass : story())
    if (const std::string name = pass->getArgument().str(); !llvm::is_contained(names, name))
      names.push_back(name);
  return names;
}

} // namespace tilerig::compiler
