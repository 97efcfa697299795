#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/Transforms/Constants.h"
#include "compiler/Graph/Transforms/Fusion.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

namespace tilerig::compiler {

#define GEN_PASS_DEF_FUSEGROUPNORM
#include "compiler/Passes/Passes.h.inc"

namespace {

using namespace graph;

// Matches a group normalisation that is exported as a reshape, which makes each group of channels one
// channel, an instance normalisation, and a reshape back. The instance normalisation must have scales of 1
// and biases of 0; the model's scale and bias follow as a multiplication and an addition.
struct FromInstances : mlir::OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(ReshapeOp back, mlir::PatternRewriter &rewriter) const override {
    auto norm = back.getInput().getDefiningOp<InstanceNormOp>();
    auto grouping = norm ? norm.getInput().getDefiningOp<ReshapeOp>() : ReshapeOp();
    if (!grouping || norm.getChannelsLast() || grouping.getInput().getType() != back.getType() ||
        !isNumber(norm.getScale(), 1) || !isNumber(norm.getBias(), 0))
      return mlir::failure();
    const auto image = shapeOf(back.getOutput()), grouped = shapeOf(norm.getInput());
    if (image.size() < 3 || image[0] != grouped[0] || grouped[1] < 1 || image[1] % grouped[1] != 0)
      return mlir::failure();
    if (!isPrivate(between({grouping.getInput()}, back)))
      return rewriter.notifyMatchFailure(back, otherReaders);
    const mlir::Type element = tensorType(back.getOutput()).getElementType();
    const auto channels = static_cast<size_t>(image[1]);
    const mlir::Value scale =
        constantOf(rewriter, partLocation(back, "scale"), Doubles(channels, 1), element, image[1], "ones");
    const mlir::Value bias =
        constantOf(rewriter, partLocation(back, "bias"), Doubles(channels, 0), element, image[1], "zeros");
    fuseInto<GroupNormOp>(rewriter, back, grouping.getInput(), grouping.getInput(), scale, bias,
                          norm.getEpsilon(), static_cast<uint64_t>(grouped[1]), false);
    return mlir::success();
  }
};

// The elements of a constant that has one element for each channel of the image; nullopt for other values.
std::optional<Doubles> forChannels(mlir::Value constant, GroupNormOp norm) {
  const auto image = shapeOf(norm.getOutput());
  auto values = doublesOf(constant);
  const size_t axis = norm.getChannelsLast() ? image.size() - 1 : 1;
  const auto own = values ? shapeOf(constant) : llvm::ArrayRef<int64_t>();
  if (own.size() + axis < image.size() || own.size() > image.size())
    return {};
  for (size_t i = 0; i < own.size(); ++i)
    if (own[i] != (image.size() - own.size() + i == axis ? image[axis] : 1))
      return {};
  return values;
}

// Folds a multiplication of a group normalisation's result by a constant, or an addition of a constant to it,
// into the scale and bias of the normalisation.
template <class Op>
struct WithParameter : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    for (mlir::Value operand : op->getOperands()) {
      auto norm = operand.template getDefiningOp<GroupNormOp>();
      const auto values = norm && norm->hasOneUse() ? forChannels(other(op, operand), norm) : std::nullopt;
      auto scale = values ? doublesOf(norm.getScale()) : std::nullopt,
           bias = values ? doublesOf(norm.getBias()) : std::nullopt;
      if (!scale || !bias)
        continue;
      for (size_t c = 0; c < values->size(); ++c)
        if constexpr (std::is_same_v<Op, MulOp>) {
          (*scale)[c] *= (*values)[c];
          (*bias)[c] *= (*values)[c];
        } else {
          (*bias)[c] += (*values)[c];
        }
      const mlir::Type element = tensorType(norm.getOutput()).getElementType();
      if (!isFiniteAs(element, *scale) || !isFiniteAs(element, *bias))
        continue; // an infinite scale times a bias of 0 would be NaN, which the model does not compute
      const auto parameter = [&](mlir::Value before, const Doubles &elements) {
        return constantOf(rewriter, before.getLoc(), elements, tensorType(before).getElementType(),
                          shapeOf(before), "folded");
      };
      const mlir::Value newScale = parameter(norm.getScale(), *scale),
                        newBias = parameter(norm.getBias(), *bias);
      fuseInto<GroupNormOp>(rewriter, op, norm.getInput(), norm.getInput(), newScale, newBias,
                            norm.getEpsilon(), norm.getGroups(), norm.getChannelsLast());
      return mlir::success();
    }
    return mlir::failure();
  }
};

struct FuseGroupNormPass : impl::FuseGroupNormBase<FuseGroupNormPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<FromInstances, WithParameter<MulOp>, WithParameter<AddOp>>(&getContext());
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
