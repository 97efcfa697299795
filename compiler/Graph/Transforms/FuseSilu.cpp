#include "compiler/Graph/Transforms/Constants.h"
#include "compiler/Graph/Transforms/Fusion.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

namespace tilerig::compiler {

#define GEN_PASS_DEF_FUSESILU
#include "compiler/Passes/Passes.h.inc"

namespace {

struct Silu : mlir::OpRewritePattern<graph::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::MulOp product, mlir::PatternRewriter &rewriter) const override {
    for (mlir::Value operand : product->getOperands())
      if (auto sigmoid = operand.getDefiningOp<graph::SigmoidOp>())
        if (other(product, operand) == sigmoid.getInput()) {
          fuseInto<graph::SiluOp>(rewriter, product, sigmoid.getInput(), sigmoid.getInput());
          return mlir::success();
        }
    return mlir::failure();
  }
};

struct FuseSiluPass : impl::FuseSiluBase<FuseSiluPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<Silu>(&getContext());
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
