#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/Transforms/Fusion.h"
#include "compiler/Graph/Transforms/Weights.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

namespace tilerig::compiler {

#define GEN_PASS_DEF_FOLDSHIFTS
#include "compiler/Passes/Passes.h.inc"

namespace {

// Folds a constant that is added to, or subtracted from, the result of a layer with weights into its bias.
template <class Op>
struct IntoBias : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Op sum, mlir::PatternRewriter &rewriter) const override {
    if (mlir::succeeded(fuse(sum, sum.getA(), sum.getB(), rewriter)))
      return mlir::success();
    return std::is_same_v<Op, graph::AddOp> ? fuse(sum, sum.getB(), sum.getA(), rewriter) : mlir::failure();
  }

  static mlir::LogicalResult fuse(Op sum, mlir::Value value, mlir::Value constant,
                                  mlir::PatternRewriter &rewriter) {
    const auto layer = Weighted::of(value.getDefiningOp());
    if (!layer || value.getType() != sum.getType())
      return mlir::failure();
    const auto summand = alongAxis(constant, graph::shapeOf(value), layer->outputAxis());
    auto bias = layer->bias();
    if (!summand || !bias)
      return mlir::failure();
    if (!value.hasOneUse())
      return rewriter.notifyMatchFailure(sum, otherReaders);
    for (size_t i = 0; i < bias->size(); ++i)
      (*bias)[i] += std::is_same_v<Op, graph::AddOp> ? (*summand)[i] : -(*summand)[i];
    const auto foldedLayer = layer->with(rewriter, {}, bias, locationOf({layer->operation(), sum}));
    if (!foldedLayer)
      return mlir::failure();
    rewriter.replaceOp(sum, foldedLayer->output());
    return mlir::success();
  }
};

struct FoldShiftsPass : impl::FoldShiftsBase<FoldShiftsPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<IntoBias<graph::AddOp>, IntoBias<graph::SubOp>>(&getContext());
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
