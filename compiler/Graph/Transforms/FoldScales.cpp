#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/Transforms/Fusion.h"
#include "compiler/Graph/Transforms/Weights.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FOLDSCALES
#include "compiler/Passes/Passes.h.inc"

namespace {

// An operation that multiplies a value by constant factors, with one factor for each index of one axis of the
// value.
struct Scaling {
  mlir::Value value;
  Doubles factors;
};

std::optional<Scaling> scaled(mlir::Value value, mlir::Value constant, mlir::Type result, size_t axis) {
  auto factors = value.getType() == result ? alongAxis(constant, graph::shapeOf(value), axis) : std::nullopt;
  return factors ? std::optional(Scaling{value, std::move(*factors)}) : std::nullopt;
}

// Matches a multiplication or division of a value by a constant that varies only along one axis, the axis
// that axisOf(value) returns. Returns nullopt for any other operation.
template <class AxisOf>
std::optional<Scaling> scalingOf(mlir::Operation *operation, AxisOf axisOf) {
  const auto matched = [&](mlir::Value value, mlir::Value constant) -> std::optional<Scaling> {
    const std::optional<size_t> axis = axisOf(value);
    return axis ? scaled(value, constant, operation->getResult(0).getType(), *axis) : std::nullopt;
  };
  if (auto product = llvm::dyn_cast_or_null<graph::MulOp>(operation)) {
    auto scaling = matched(product.getA(), product.getB());
    return scaling ? scaling : matched(product.getB(), product.getA());
  }
  auto quotient = llvm::dyn_cast_or_null<graph::DivOp>(operation);
  auto scaling = quotient ? matched(quotient.getA(), quotient.getB()) : std::nullopt;
  if (scaling)
    for (double &factor : scaling->factors)
      factor = 1 / factor; // a division by 0 gives an infinite factor; folding refuses infinite weights later
  return scaling;
}

// Folds the constant of layer(x) * constant into the layer: scales the weights of each output and the bias.
template <class Op>
struct ScaleAfterLayer : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Op product, mlir::PatternRewriter &rewriter) const override {
    const auto scaling = scalingOf(product, [](mlir::Value value) -> std::optional<size_t> {
      const auto layer = Weighted::of(value.getDefiningOp());
      return layer ? std::optional(layer->outputAxis()) : std::nullopt;
    });
    if (!scaling)
      return mlir::failure();
    if (!scaling->value.hasOneUse())
      return rewriter.notifyMatchFailure(product, otherReaders);
    const auto layer = Weighted::of(scaling->value.getDefiningOp());
    auto weights = layer->weights(), bias = layer->bias();
    if (!weights || !bias)
      return mlir::failure();
    for (size_t i = 0; i < weights->size(); ++i)
      (*weights)[i] *= scaling->factors[layer->outputOf(i)];
    for (size_t i = 0; i < bias->size(); ++i)
      (*bias)[i] *= scaling->factors[i];
    if (layer->operation()->getNumOperands() < 3)
      bias.reset();
    const auto foldedLayer = layer->with(rewriter, weights, bias, locationOf({layer->operation(), product}));
    if (!foldedLayer)
      return mlir::failure();
    rewriter.replaceOp(product, foldedLayer->output());
    return mlir::success();
  }
};

// Folds the constant of layer(x * constant) into the layer: scales the weights of each input.
template <class Op>
struct ScaleBeforeLayer : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Op operation, mlir::PatternRewriter &rewriter) const override {
    const auto layer = Weighted::of(operation);
    mlir::Operation *const product = layer ? layer->input().getDefiningOp() : nullptr;
    const auto axisOf = [&](mlir::Value) { return std::optional(layer->inputAxis()); };
    const auto scaling = product ? scalingOf(product, axisOf) : std::nullopt;
    if (!scaling)
      return mlir::failure();
    if (!layer->input().hasOneUse())
      return rewriter.notifyMatchFailure(operation, otherReaders);
    auto weights = layer->weights();
    if (!weights)
      return mlir::failure();
    for (size_t i = 0; i < weights->size(); ++i)
      (*weights)[i] *= scaling->factors[layer->inputOf(i)];
    const auto foldedLayer = layer->with(rewriter, weights, {}, locationOf({product, operation}));
    if (!foldedLayer)
      return mlir::failure();
    rewriter.modifyOpInPlace(foldedLayer->operation(),
                             [&] { foldedLayer->operation()->setOperand(0, scaling->value); });
    return mlir::success();
  }
};

struct FoldScalesPass : impl::FoldScalesBase<FoldScalesPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<ScaleAfterLayer<graph::MulOp>, ScaleAfterLayer<graph::DivOp>,
                 ScaleBeforeLayer<graph::ConvOp>, ScaleBeforeLayer<graph::ConvTransposeOp>,
                 ScaleBeforeLayer<graph::GemmOp>, ScaleBeforeLayer<graph::MatMulOp>>(&getContext());
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
