#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

namespace tilerig::compiler {

#define GEN_PASS_DEF_USECHANNELSLAST
#include "compiler/Passes/Passes.h.inc"

namespace {

using namespace graph;

template <class Op>
struct ChannelsLast : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    const size_t rank = shapeOf(op.getInput()).size();
    if (op.getChannelsLast() || rank < 3)
      return mlir::failure();
    const Dims last = toChannelsLast(rank), first = toChannelsFirst(rank);
    const mlir::Location location = op.getLoc();
    const auto input = tensorOrigin(op.getInput()), output = tensorOrigin(op.getOutput());
    const mlir::Type asBefore = op.getType();
    const mlir::Value image = TransposeOp::create(rewriter, withTensor(location, transposed(input, last)),
                                                  permutedType(op.getInput(), last), op.getInput(), last);
    rewriter.modifyOpInPlace(op, [&] {
      op.getOutput().setType(permutedType(op.getOutput(), last));
      op.getInputMutable().assign(image);
      op.setChannelsLast(true);
      op->setLoc(withTensor(location, transposed(output, last)));
    });
    rewriter.setInsertionPointAfter(op);
    auto result = TransposeOp::create(rewriter, location, asBefore, op.getOutput(), first);
    rewriter.replaceAllUsesExcept(op.getOutput(), result.getOutput(), result);
    return mlir::success();
  }
};

template <class... Ops>
void add(mlir::RewritePatternSet &patterns) {
  patterns.add<ChannelsLast<Ops>...>(patterns.getContext());
}

struct UseChannelsLastPass : impl::UseChannelsLastBase<UseChannelsLastPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    add<ConvOp, ConvTransposeOp, AveragePoolOp, MaxPoolOp, LpPoolOp, GlobalAveragePoolOp, GlobalMaxPoolOp,
        GlobalLpPoolOp, BatchNormOp, InstanceNormOp, GroupNormOp, LrnOp, DepthToSpaceOp, SpaceToDepthOp,
        QLinearConvOp, ConvIntegerOp>(patterns);
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
