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

  // The first passes fold constants and remove operations without effect: the patterns of later passes look
  // for constants, and do not match if such operations lie in between.
  then(createFoldConstants());
  then(createRemoveNoOps());
  then(mlir::createCSEPass());

  // Operators that exporters write out as several nodes are fused before constants are folded into weights,
  // because the fusion patterns look for constants that folding would remove.
  then(createFuseSilu());
  then(createFuseHardSwish());
  then(createFuseGelu());
  then(createFuseLayerNorm());
  then(createFuseGroupNorm());
  then(createFuseAttention());
  then(createFormGlobalPools());

  // Recurrent layers become products and elementwise operations of each step. The next round folds the constants
  // that arrange their weights.
  then(createUnrollRecurrences());

  // The next passes fold constants into weights: first batch normalisations, then additions and
  // multiplications, since a normalisation that cannot be folded becomes an addition and a multiplication.
  then(createFoldPads());
  then(createFoldBatchNorm());
  then(createFoldShifts());
  then(createFoldScales());

  // Operations on volumes are replaced by operations on images only after constants have been folded into
  // their weights.
  then(createFlattenVolumes());

  // Convolutions with large dilations become convolutions that fit the memory of a tile.
  then(createSplitDilations());

  // The last passes convert images to the axis order channels last, and move the transposes to where they
  // cost least.
  then(createUseChannelsLast());
  then(createSinkTransposes());

  // At the end, common subexpressions and unused operations are removed.
  then(mlir::createCSEPass());
  then(mlir::createCanonicalizerPass());
  return passes;
}

struct SimplifyGraphPass : impl::SimplifyGraphBase<SimplifyGraphPass> {
  using SimplifyGraphBase::SimplifyGraphBase;
  SimplifyGraphPass(const SimplifyGraphOptions &options, std::vector<InsertedPass> inserted)
      : SimplifyGraphBase(options), inserted(std::move(inserted)) {}

  // Upper limit of rounds. In each round all passes run once, and use what the previous round made possible.
  // Two rounds suffice for most models; if the graph still changes after the last round, a pass has a bug.
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
