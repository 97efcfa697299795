#include "compiler/Dialect/Graph/Origins.h"
#include "compiler/Passes/Passes.h"

#include <llvm/ADT/TypeSwitch.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FUSEFUNCTIONS
#include "compiler/Passes/Passes.h.inc"

namespace {

// Whether a layer can apply a function to its result in every precision. Pools and reductions cannot: on
// quantised tensors they are integer sums without a function.
bool takesFunction(mlir::Operation *operation) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(operation)
      .Case<layer::ConvOp, layer::MatMulOp, layer::NormalizeOp, layer::SoftmaxOp, layer::SelectOp>(
          [](auto op) { return !op.getFunction(); })
      .Case([](layer::BinaryOp op) {
        return !op.getFunction() && op.getKind().getValue() < BinaryFunction::equal;
      })
      .Default([](mlir::Operation *) { return false; });
}

struct IntoProducer : mlir::OpRewritePattern<layer::ActivateOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::ActivateOp activate,
                                      mlir::PatternRewriter &rewriter) const override {
    mlir::Operation *producer = activate.getInput().getDefiningOp();
    if (!producer || !activate.getFunction() || !producer->hasOneUse() || !takesFunction(producer) ||
        activate.getInput().getType() != activate.getType() ||
        !llvm::isa<mlir::FloatType>(activate.getType().getElementType()))
      return mlir::failure();
    rewriter.modifyOpInPlace(producer, [&] {
      producer->setAttr("function", activate.getFunctionAttr());
      producer->setLoc(graph::fusedLocation({producer->getLoc(), activate.getLoc()}));
    });
    rewriter.replaceOp(activate, producer->getResults());
    return mlir::success();
  }
};

struct FuseFunctionsPass : impl::FuseFunctionsBase<FuseFunctionsPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<IntoProducer>(&getContext());
    if (mlir::failed(mlir::applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
