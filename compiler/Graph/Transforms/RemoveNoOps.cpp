#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/Transforms/Constants.h"
#include "compiler/Graph/Transforms/Fusion.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_REMOVENOOPS
#include "compiler/Passes/Passes.h.inc"

namespace {

using namespace graph;

bool allAre(llvm::ArrayRef<int64_t> values, int64_t wanted) {
  return llvm::all_of(values, [&](int64_t value) { return value == wanted; });
}

// The operand that an operation returns unchanged, bit for bit; null if there is none. Examples are x + -0
// and x - 0. The operation x + 0 is not one, because it turns -0 into 0.
mlir::Value unchanged(mlir::Operation *operation) {
  using Found = mlir::Value;
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case<CastOp, ExpandOp, TileOp>([](auto op) -> Found { return op.getInput(); })
      .Case([](PadOp op) -> Found { return allAre(op.getPads(), 0) ? op.getInput() : Found(); })
      .Case([](SliceOp op) -> Found { return allAre(op.getSteps(), 1) ? op.getInput() : Found(); })
      .Case([](ConcatOp op) -> Found { return op.getInputs().size() == 1 ? op.getInputs()[0] : Found(); })
      .Case([](ClipOp op) -> Found { return op.getLow() || op.getHigh() ? Found() : op.getInput(); })
      .Case([](AddOp op) -> Found {
        return isExactly(op.getB(), -0.0) ? op.getA() : isExactly(op.getA(), -0.0) ? op.getB() : Found();
      })
      .Case([](MulOp op) -> Found {
        return isExactly(op.getB(), 1) ? op.getA() : isExactly(op.getA(), 1) ? op.getB() : Found();
      })
      .Case([](SubOp op) -> Found { return isExactly(op.getB(), 0) ? op.getA() : Found(); })
      .Case<DivOp, PowOp>([](auto op) -> Found { return isExactly(op.getB(), 1) ? op.getA() : Found(); })
      .Default([](mlir::Operation *) { return Found(); });
}

struct Unchanged : mlir::RewritePattern {
  explicit Unchanged(mlir::MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  mlir::LogicalResult matchAndRewrite(mlir::Operation *operation,
                                      mlir::PatternRewriter &rewriter) const override {
    const mlir::Value value = unchanged(operation);
    // If the result has another shape than the operand, the operation broadcasts, so it cannot be removed.
    if (!value || value.getType() != operation->getResult(0).getType())
      return mlir::failure();
    rewriter.replaceOp(operation, value);
    return mlir::success();
  }
};

// Whether no element of the value can be negative; NaN counts as not negative.
bool isNeverNegative(mlir::Value value) {
  if (auto clip = value.getDefiningOp<ClipOp>())
    return clip.getLow() && scalarOf(clip.getLow()).value_or(-1) >= 0;
  return llvm::isa_and_nonnull<ReluOp, SigmoidOp, HardSigmoidOp, AbsOp>(value.getDefiningOp());
}

struct SecondRelu : mlir::OpRewritePattern<ReluOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(ReluOp relu, mlir::PatternRewriter &rewriter) const override {
    if (!isNeverNegative(relu.getInput()))
      return mlir::failure();
    rewriter.replaceOp(relu, relu.getInput());
    return mlir::success();
  }
};

// Replaces clip(relu(x), low, high) with low <= 0 by clip(x, 0, high).
struct ReluInClip : mlir::OpRewritePattern<ClipOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(ClipOp clip, mlir::PatternRewriter &rewriter) const override {
    auto relu = clip.getInput().getDefiningOp<ReluOp>();
    const auto low = clip.getLow() ? scalarOf(clip.getLow()) : 0;
    const mlir::Type element = tensorType(clip.getInput()).getElementType();
    if (!relu || !relu->hasOneUse() || !low || !(*low <= 0) || !llvm::isa<mlir::FloatType>(element))
      return mlir::failure();
    const mlir::Value zero = constantOf(rewriter, partLocation(clip, "low"), {0}, element, {}, "zero");
    fuseInto<ClipOp>(rewriter, clip, relu.getInput(), relu.getInput(), zero, clip.getHigh());
    return mlir::success();
  }
};

struct ClipThatIsRelu : mlir::OpRewritePattern<ClipOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(ClipOp clip, mlir::PatternRewriter &rewriter) const override {
    if (clip.getHigh() || !clip.getLow() || !isExactly(clip.getLow(), 0))
      return mlir::failure();
    rewriter.replaceOpWithNewOp<ReluOp>(clip, clip.getType(), clip.getInput());
    return mlir::success();
  }
};

struct RemoveNoOpsPass : impl::RemoveNoOpsBase<RemoveNoOpsPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<Unchanged, SecondRelu, ReluInClip, ClipThatIsRelu>(&getContext());
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
