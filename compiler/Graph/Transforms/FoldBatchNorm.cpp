#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/Transforms/Fusion.h"
#include "compiler/Graph/Transforms/Weights.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <cmath>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FOLDBATCHNORM
#include "compiler/Passes/Passes.h.inc"

namespace {

// The normalisation as y = scale * x + shift for each channel.
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

size_t channelAxis(graph::BatchNormOp norm) {
  return norm.getChannelsLast() ? graph::shapeOf(norm.getInput()).size() - 1 : 1;
}

// Folds a batch normalisation of a layer's result into the layer: scales the weights of each output and
// adjusts the bias.
struct AfterLayer : mlir::OpRewritePattern<graph::BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::BatchNormOp norm,
                                      mlir::PatternRewriter &rewriter) const override {
    const auto layer = Weighted::of(norm.getInput().getDefiningOp());
    if (!layer || layer->outputAxis() != channelAxis(norm))
      return mlir::failure();
    if (!norm.getInput().hasOneUse())
      return rewriter.notifyMatchFailure(norm, otherReaders);
    auto weights = layer->weights(), bias = layer->bias();
    const auto affine = scaleAndShiftOf(norm);
    if (!weights || !bias || !affine)
      return rewriter.notifyMatchFailure(
          norm, "the layer's weights or bias, or the parameters of the normalisation, are not constant");
    for (size_t i = 0; i < weights->size(); ++i)
      (*weights)[i] *= affine->scale[layer->outputOf(i)];
    for (size_t o = 0; o < bias->size(); ++o)
      (*bias)[o] = (*bias)[o] * affine->scale[o] + affine->shift[o];
    const auto foldedLayer = layer->with(rewriter, weights, bias, locationOf({layer->operation(), norm}));
    if (!foldedLayer)
      return rewriter.notifyMatchFailure(
          norm, "a weight or bias would not be finite with the normalisation folded into it");
    rewriter.replaceOp(norm, foldedLayer->output());
    return mlir::success();
  }
};

// Folds a batch normalisation of a layer's input into the layer: scales the weights of each input channel and
// adds the shift to the bias. The shift can be folded only without padding: at the border of a padded image,
// the sums leave out some inputs and their shifts.
struct BeforeLayer : mlir::OpRewritePattern<graph::BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::BatchNormOp norm,
                                      mlir::PatternRewriter &rewriter) const override {
    const auto layer = norm->hasOneUse() ? Weighted::of(*norm->user_begin()) : std::nullopt;
    if (!layer || layer->input() != norm.getOutput() || layer->inputAxis() != channelAxis(norm) ||
        !layer->isUniform())
      return mlir::failure();
    auto weights = layer->weights(), bias = layer->bias();
    const auto affine = scaleAndShiftOf(norm);
    if (!weights || !bias || !affine)
      return mlir::failure();
    for (size_t i = 0; i < weights->size(); ++i) {
      const size_t input = layer->inputOf(i);
      (*bias)[layer->outputOf(i)] += layer->factor() * (*weights)[i] * affine->shift[input];
      (*weights)[i] *= affine->scale[input];
    }
    const auto foldedLayer = layer->with(rewriter, weights, bias, locationOf({norm, layer->operation()}));
    if (!foldedLayer)
      return mlir::failure();
    rewriter.modifyOpInPlace(foldedLayer->operation(),
                             [&] { foldedLayer->operation()->setOperand(0, norm.getInput()); });
    rewriter.eraseOp(norm);
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
    // The normalisation's scale and shift become constants of this shape, which is broadcast to the input. It
    // lacks the batch axis.
    graph::Dims shape(graph::shapeOf(norm.getInput()).size() - 1, 1);
    shape[channelAxis(norm) - 1] = static_cast<int64_t>(affine->scale.size());
    const mlir::Type element = graph::tensorType(norm.getInput()).getElementType();
    const mlir::Value scale =
        constantOf(rewriter, norm.getScale().getLoc(), affine->scale, element, shape, "folded_scale");
    const mlir::Value shift =
        constantOf(rewriter, norm.getBias().getLoc(), affine->shift, element, shape, "folded_shift");
    const mlir::Value scaled = graph::MulOp::create(rewriter, graph::withTensor(norm.getLoc(), {}),
                                                    norm.getType(), norm.getInput(), scale);
    rewriter.replaceOpWithNewOp<graph::AddOp>(norm, norm.getType(), scaled, shift);
    return mlir::success();
  }
};

struct FoldBatchNormPass : impl::FoldBatchNormBase<FoldBatchNormPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<AfterLayer>(&getContext(), mlir::PatternBenefit(3));
    patterns.add<BeforeLayer>(&getContext(), mlir::PatternBenefit(2));
    patterns.add<IntoArithmetic>(&getContext(), mlir::PatternBenefit(1));
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
