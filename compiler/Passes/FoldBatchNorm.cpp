#include "compiler/Dialect/Graph/Shapes.h"
#include "compiler/Passes/Constants.h"
#include "compiler/Passes/Passes.h"

#include <cmath>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

namespace tilerig {

#define GEN_PASS_DEF_FOLDBATCHNORM
#include "compiler/Passes/Passes.h.inc"

namespace {

// y = scale * x + shift for each channel.
struct ScaleAndShift {
  Doubles scale, shift;
};

std::optional<ScaleAndShift> scaleAndShiftOf(graph::BatchNormOp norm) {
  const auto gain = doublesOf(norm.getScale()), bias = doublesOf(norm.getBias()),
             mean = doublesOf(norm.getMean()), variance = doublesOf(norm.getVariance());
  if (!gain || !bias || !mean || !variance)
    return {};
  ScaleAndShift result;
  for (size_t c = 0; c < gain->size(); ++c) {
    const double scale = (*gain)[c] / std::sqrt((*variance)[c] + norm.getEpsilon().convertToDouble());
    result.scale.push_back(scale);
    result.shift.push_back((*bias)[c] - (*mean)[c] * scale);
  }
  return result;
}

// Weights by output, the bias shifted. Outputs are the outermost axis of a convolution's weights.
struct IntoConvolution : mlir::OpRewritePattern<graph::BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::BatchNormOp norm,
                                      mlir::PatternRewriter &rewriter) const override {
    auto conv = norm.getInput().getDefiningOp<graph::ConvOp>();
    if (!conv || !conv->hasOneUse())
      return mlir::failure();
    auto weights = doublesOf(conv.getWeights());
    auto bias = conv.getBias() ? doublesOf(conv.getBias()) : Doubles(graph::shapeOf(conv.getWeights())[0], 0);
    const auto affine = scaleAndShiftOf(norm);
    if (!weights || !bias || !affine)
      return mlir::failure();
    const size_t outputs = bias->size(), row = weights->size() / outputs;
    for (size_t i = 0; i < weights->size(); ++i)
      (*weights)[i] *= affine->scale[i / row];
    for (size_t o = 0; o < outputs; ++o)
      (*bias)[o] = (*bias)[o] * affine->scale[o] + affine->shift[o];
    const mlir::Type element = graph::tensorType(conv.getWeights()).getElementType();
    // The result is the normalisation's; the convolution is where it came from.
    const mlir::Location location = rewriter.getFusedLoc({conv.getLoc(), norm.getLoc()});
    const mlir::Value newWeights = constantOf(rewriter, conv.getWeights().getLoc(), *weights, element,
                                              graph::shapeOf(conv.getWeights()), "folded_weights");
    const mlir::Value newBias = constantOf(rewriter, norm.getBias().getLoc(), *bias, element,
                                           {static_cast<int64_t>(outputs)}, "folded_bias");
    rewriter
        .replaceOpWithNewOp<graph::ConvOp>(norm, norm.getType(), conv.getInput(), newWeights, newBias,
                                           conv.getGroups(), conv.getStrides(), conv.getDilations(),
                                           conv.getPads())
        ->setLoc(location);
    return mlir::success();
  }
};

struct IntoArithmetic : mlir::OpRewritePattern<graph::BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::BatchNormOp norm,
                                      mlir::PatternRewriter &rewriter) const override {
    const auto affine = scaleAndShiftOf(norm);
    if (!affine)
      return mlir::failure();
    graph::Shape shape(graph::shapeOf(norm.getInput()).size() - 1, 1); // channels, and the spatial axes
    shape[0] = static_cast<int64_t>(affine->scale.size());
    const mlir::Type element = graph::tensorType(norm.getInput()).getElementType();
    const mlir::Value scale =
        constantOf(rewriter, norm.getScale().getLoc(), affine->scale, element, shape, "folded_scale");
    const mlir::Value shift =
        constantOf(rewriter, norm.getBias().getLoc(), affine->shift, element, shape, "folded_shift");
    const mlir::Value scaled =
        graph::MulOp::create(rewriter, norm.getLoc(), norm.getType(), norm.getInput(), scale);
    rewriter.replaceOpWithNewOp<graph::AddOp>(norm, norm.getType(), scaled, shift);
    return mlir::success();
  }
};

struct FoldBatchNormPass : impl::FoldBatchNormBase<FoldBatchNormPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<IntoConvolution>(&getContext(), mlir::PatternBenefit(2));
    patterns.add<IntoArithmetic>(&getContext(), mlir::PatternBenefit(1));
    if (mlir::failed(mlir::applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig
