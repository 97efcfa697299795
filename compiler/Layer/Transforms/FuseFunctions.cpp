#include "compiler/Graph/IR/Origins.h"
#include "compiler/Layer/IR/Quantised.h"
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

// Whether the value is read only by outputs of the model and operators of the host, perhaps in another shape
// or order of axes.
bool leavesTheDevice(mlir::Value value) {
  return llvm::all_of(value.getUsers(), [](mlir::Operation *user) {
    if (llvm::isa<layer::TransposeOp, layer::ReshapeOp>(user))
      return leavesTheDevice(user->getResult(0));
    return llvm::isa<mlir::func::ReturnOp, layer::HostOp>(user);
  });
}

struct IntoProducer : mlir::OpRewritePattern<layer::ActivateOp> {
  IntoProducer(mlir::MLIRContext *context, bool roundsLast)
      : OpRewritePattern(context), roundsLast(roundsLast) {}

  mlir::LogicalResult matchAndRewrite(layer::ActivateOp activate,
                                      mlir::PatternRewriter &rewriter) const override {
    mlir::Operation *producer = activate.getInput().getDefiningOp();
    if (!producer || !activate.getFunction() || !producer->hasOneUse() || !takesFunction(producer) ||
        activate.getInput().getType() != activate.getType() ||
        !llvm::isa<mlir::FloatType>(activate.getType().getElementType()) ||
        (roundsLast && llvm::isa<layer::ConvOp, layer::MatMulOp>(producer) &&
         !layer::isBound(activate.getFunctionAttr()) && leavesTheDevice(activate.getOutput())))
      return mlir::failure();
    rewriter.modifyOpInPlace(producer, [&] {
      producer->setAttr("function", activate.getFunctionAttr());
      producer->setLoc(graph::fusedLocation({producer->getLoc(), activate.getLoc()}));
    });
    rewriter.replaceOp(activate, producer->getResults());
    return mlir::success();
  }

private:
  bool roundsLast;
};

struct FuseFunctionsPass : impl::FuseFunctionsBase<FuseFunctionsPass> {
  using FuseFunctionsBase::FuseFunctionsBase;

  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<IntoProducer>(&getContext(), roundsLast);
    if (mlir::failed(mlir::applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
