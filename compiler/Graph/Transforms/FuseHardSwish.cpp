#include "compiler/Graph/Transforms/Constants.h"
#include "compiler/Graph/Transforms/Fusion.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

namespace tilerig::compiler {

#define GEN_PASS_DEF_FUSEHARDSWISH
#include "compiler/Passes/Passes.h.inc"

namespace {

// Whether `value` is hard_sigmoid(x) = clamp(x / 6 + 0.5, 0, 1).
bool isHardSwishGate(mlir::Value value, mlir::Value x) {
  auto gate = value.getDefiningOp<graph::HardSigmoidOp>();
  return gate && gate.getInput() == x && gate.getAlpha().convertToFloat() == 1.0f / 6 &&
         gate.getBeta().convertToFloat() == 0.5f;
}

// Whether `value` is clip(x + 3, 0, 6).
bool isSixfoldGate(mlir::Value value, mlir::Value x) {
  auto clip = value.getDefiningOp<graph::ClipOp>();
  if (!clip || !clip.getLow() || !clip.getHigh() || !isNumber(clip.getLow(), 0) ||
      !isNumber(clip.getHigh(), 6))
    return false;
  auto sum = clip.getInput().getDefiningOp<graph::AddOp>();
  return sum && other(sum, x) && isNumber(other(sum, x), 3);
}

struct Gated : mlir::OpRewritePattern<graph::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::MulOp product, mlir::PatternRewriter &rewriter) const override {
    for (mlir::Value x : product->getOperands())
      if (isHardSwishGate(other(product, x), x)) {
        fuseInto<graph::HardSwishOp>(rewriter, product, x, x);
        return mlir::success();
      }
    return mlir::failure();
  }
};

// Matches the hard swish x * clip(x + 3, 0, 6) / 6.
struct GatedBySixths : mlir::OpRewritePattern<graph::DivOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::DivOp quotient, mlir::PatternRewriter &rewriter) const override {
    auto product = quotient.getA().getDefiningOp<graph::MulOp>();
    if (!product || !isNumber(quotient.getB(), 6))
      return mlir::failure();
    for (mlir::Value x : product->getOperands())
      if (isSixfoldGate(other(product, x), x) && x.getType() == quotient.getType()) {
        fuseInto<graph::HardSwishOp>(rewriter, quotient, x, x);
        return mlir::success();
      }
    return mlir::failure();
  }
};

// Matches the hard swish x * (clip(x + 3, 0, 6) / 6).
struct GateDivided : mlir::OpRewritePattern<graph::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::MulOp product, mlir::PatternRewriter &rewriter) const override {
    for (mlir::Value x : product->getOperands()) {
      auto quotient = other(product, x).getDefiningOp<graph::DivOp>();
      if (!quotient || !isNumber(quotient.getB(), 6) || !isSixfoldGate(quotient.getA(), x) ||
          x.getType() != product.getType())
        continue;
      fuseInto<graph::HardSwishOp>(rewriter, product, x, x);
      return mlir::success();
    }
    return mlir::failure();
  }
};

struct FuseHardSwishPass : impl::FuseHardSwishBase<FuseHardSwishPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<Gated, GatedBySixths, GateDivided>(&getContext());
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
