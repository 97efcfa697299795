#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/Transforms/Constants.h"
#include "compiler/Graph/Transforms/Fusion.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FUSELAYERNORM
#include "compiler/Passes/Passes.h.inc"

namespace {

using namespace graph;

// The first axis of a mean over the innermost axes; nullopt if the mean is over other axes, or does not keep
// the reduced axes with size 1.
std::optional<size_t> firstAxis(ReduceMeanOp mean) {
  const auto rank = tensorType(mean.getInput()).getRank();
  Dims axes(mean.getAxes());
  llvm::sort(axes);
  if (axes.empty() || !mean.getKeepdims() || !llvm::equal(axes, llvm::seq<int64_t>(axes.front(), rank)))
    return {};
  return static_cast<size_t>(axes.front());
}

// The operands of the expression x - mean(x), where the mean is over the axes from `axis` to the last one.
struct Centred {
  mlir::Value input, deviation, mean;
  size_t axis = 0;
};

std::optional<Centred> centred(mlir::Value value) {
  auto difference = value.getDefiningOp<SubOp>();
  auto mean = difference ? difference.getB().getDefiningOp<ReduceMeanOp>() : ReduceMeanOp();
  const auto axis = mean && mean.getInput() == difference.getA() ? firstAxis(mean) : std::nullopt;
  return axis ? std::optional(Centred{difference.getA(), value, mean.getOutput(), *axis}) : std::nullopt;
}

// The value x if `value` is x^2, written as a power or as a product; null if it is not a square.
mlir::Value squared(mlir::Value value) {
  if (auto power = value.getDefiningOp<PowOp>(); power && isNumber(power.getB(), 2))
    return power.getA();
  auto product = value.getDefiningOp<MulOp>();
  return product && product.getA() == product.getB() ? product.getA() : mlir::Value();
}

struct Deviation {
  Centred of;
  float epsilon = 0;
};

// Matches sqrt(mean((x - mean(x))^2) + epsilon). Epsilon must be exact as a float, because the fused
// operation stores it as a float.
std::optional<Deviation> standardDeviation(mlir::Value value) {
  auto root = value.getDefiningOp<SqrtOp>();
  auto sum = root ? root.getInput().getDefiningOp<AddOp>() : AddOp();
  if (!sum)
    return {};
  for (mlir::Value operand : sum->getOperands()) {
    auto variance = operand.getDefiningOp<ReduceMeanOp>();
    const auto epsilon = scalarOf(other(sum, operand));
    const mlir::Value deviation = variance ? squared(variance.getInput()) : mlir::Value();
    const auto of = deviation ? centred(deviation) : std::nullopt;
    if (of && firstAxis(variance) == of->axis && epsilon && static_cast<float>(*epsilon) == *epsilon &&
        sum.getType() == variance.getType())
      return Deviation{*of, static_cast<float>(*epsilon)};
  }
  return {};
}

// Matches 1 / sqrt(...), written as a reciprocal or as a division.
std::optional<Deviation> inverseDeviation(mlir::Value value) {
  if (auto reciprocal = value.getDefiningOp<ReciprocalOp>())
    return standardDeviation(reciprocal.getInput());
  auto quotient = value.getDefiningOp<DivOp>();
  return quotient && isNumber(quotient.getA(), 1) ? standardDeviation(quotient.getB()) : std::nullopt;
}

Dims normalisedShape(mlir::Value input, size_t axis) { return Dims(shapeOf(input).drop_front(axis)); }

// Whether a value can be the scale or bias of a normalisation: it needs one element for each normalised
// element.
bool isParameter(mlir::Value value, mlir::Value input, size_t axis) {
  return value && shapeOf(value) == llvm::ArrayRef(normalisedShape(input, axis));
}

// Fuses (x - mean(x)) / sqrt(...), as PyTorch exports it, or (x - mean(x)) * (1 / sqrt(...)) into a layer
// normalisation whose scale is all ones.
struct Bare {
  static mlir::LogicalResult fuse(mlir::Operation *root, mlir::Value numerator,
                                  const std::optional<Deviation> &deviation,
                                  mlir::PatternRewriter &rewriter) {
    if (!deviation || numerator != deviation->of.deviation)
      return mlir::failure();
    if (!isPrivate(between({deviation->of.input}, root)))
      return rewriter.notifyMatchFailure(root, otherReaders);
    const Dims shape = normalisedShape(deviation->of.input, deviation->of.axis);
    const Doubles ones(static_cast<size_t>(llvm::product_of(shape)), 1);
    const mlir::Value scale = constantOf(rewriter, partLocation(root, "scale"), ones,
                                         tensorType(deviation->of.input).getElementType(), shape, "ones");
    fuseInto<LayerNormOp>(rewriter, root, deviation->of.input, deviation->of.input, scale, mlir::Value(),
                          llvm::APFloat(deviation->epsilon), deviation->of.axis);
    return mlir::success();
  }
};

struct Divided : mlir::OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(DivOp quotient, mlir::PatternRewriter &rewriter) const override {
    return Bare::fuse(quotient, quotient.getA(), standardDeviation(quotient.getB()), rewriter);
  }
};

struct Multiplied : mlir::OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(MulOp product, mlir::PatternRewriter &rewriter) const override {
    for (mlir::Value operand : product->getOperands())
      if (mlir::succeeded(Bare::fuse(product, other(product, operand), inverseDeviation(operand), rewriter)))
        return mlir::success();
    return mlir::failure();
  }
};

// Folds a multiplication of a layer normalisation's result into the scale of the normalisation, which must be
// all ones so far.
struct Scaled : mlir::OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(MulOp product, mlir::PatternRewriter &rewriter) const override {
    for (mlir::Value operand : product->getOperands()) {
      auto norm = operand.getDefiningOp<LayerNormOp>();
      const mlir::Value scale = other(product, operand);
      if (!norm || !norm->hasOneUse() || norm.getBias() || !isNumber(norm.getScale(), 1) ||
          !isParameter(scale, norm.getInput(), norm.getAxis()))
        continue;
      fuseInto<LayerNormOp>(rewriter, product, {norm.getInput(), scale}, norm.getInput(), scale,
                            mlir::Value(), norm.getEpsilon(), norm.getAxis());
      return mlir::success();
    }
    return mlir::failure();
  }
};

// Folds an addition to the result of a layer normalisation into the bias of the normalisation.
struct Shifted : mlir::OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(AddOp sum, mlir::PatternRewriter &rewriter) const override {
    for (mlir::Value operand : sum->getOperands()) {
      auto norm = operand.getDefiningOp<LayerNormOp>();
      const mlir::Value bias = other(sum, operand);
      if (!norm || !norm->hasOneUse() || norm.getBias() ||
          !isParameter(bias, norm.getInput(), norm.getAxis()))
        continue;
      fuseInto<LayerNormOp>(rewriter, sum, {norm.getInput(), norm.getScale(), bias}, norm.getInput(),
                            norm.getScale(), bias, norm.getEpsilon(), norm.getAxis());
      return mlir::success();
    }
    return mlir::failure();
  }
};

// Matches x * m + (bias - mean * m), where m = scale / sqrt(variance + epsilon): the form in which Keras
// exports layer normalisation.
struct Rearranged : mlir::OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(AddOp sum, mlir::PatternRewriter &rewriter) const override {
    for (mlir::Value operand : sum->getOperands()) {
      auto scaled = operand.getDefiningOp<MulOp>();
      auto shift = other(sum, operand).getDefiningOp<SubOp>();
      auto scaledMean = shift ? shift.getB().getDefiningOp<MulOp>() : MulOp();
      if (!scaled || !scaledMean)
        continue;
      for (mlir::Value factor : scaled->getOperands())
        if (mlir::succeeded(
                fuse(sum, other(scaled, factor), factor, other(scaledMean, factor), shift.getA(), rewriter)))
          return mlir::success();
    }
    return mlir::failure();
  }

  static mlir::LogicalResult fuse(AddOp sum, mlir::Value input, mlir::Value factor, mlir::Value mean,
                                  mlir::Value bias, mlir::PatternRewriter &rewriter) {
    auto product = factor.getDefiningOp<MulOp>();
    if (!product)
      return mlir::failure();
    for (mlir::Value operand : product->getOperands()) {
      const auto deviation = inverseDeviation(operand);
      const mlir::Value scale = other(product, operand);
      if (!deviation || deviation->of.input != input || deviation->of.mean != mean ||
          !isParameter(scale, input, deviation->of.axis) || !isParameter(bias, input, deviation->of.axis))
        continue;
      if (!isPrivate(between({input, scale, bias}, sum))) {
        (void)rewriter.notifyMatchFailure(sum, otherReaders);
        continue;
      }
      fuseInto<LayerNormOp>(rewriter, sum, {input, scale, bias}, input, scale, bias,
                            llvm::APFloat(deviation->epsilon), deviation->of.axis);
      return mlir::success();
    }
    return mlir::failure();
  }
};

struct FuseLayerNormPass : impl::FuseLayerNormBase<FuseLayerNormPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<Divided, Multiplied, Scaled, Shifted, Rearranged>(&getContext());
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
