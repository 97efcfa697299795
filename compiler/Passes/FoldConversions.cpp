#include "compiler/Dialect/Graph/Origins.h"
#include "compiler/Dialect/Layer/Quantised.h"
#include "compiler/Lowering/LayerBuilder.h"
#include "compiler/Passes/Passes.h"

#include <cmath>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

namespace tilerig {

#define GEN_PASS_DEF_FOLDCONVERSIONS
#include "compiler/Passes/Passes.h.inc"

namespace {

using layer::elementOf;
using layer::quantisedOf;

// What a conversion from a quantised type to reals converts; null for anything else.
mlir::Value quantisedSource(mlir::Value value) {
  auto conversion = value ? value.getDefiningOp<layer::ActivateOp>() : nullptr;
  if (!conversion || conversion.getFunction() || !quantisedOf(elementOf(conversion.getInput())) ||
      quantisedOf(elementOf(value)))
    return {};
  return conversion.getInput();
}

// The one conversion of a layer's result into a quantised type; null if it is read otherwise too.
layer::ActivateOp onlyQuantisation(mlir::Value result) {
  if (!result.hasOneUse())
    return nullptr;
  auto conversion = llvm::dyn_cast<layer::ActivateOp>(*result.getUsers().begin());
  return conversion && !conversion.getFunction() && quantisedOf(elementOf(conversion.getOutput()))
             ? conversion
             : nullptr;
}

// Layers of the vector engine read and write every type, so conversions around them are theirs.
bool convertsItself(mlir::Operation *operation) {
  return llvm::isa<layer::BinaryOp, layer::SelectOp, layer::SoftmaxOp, layer::NormalizeOp>(operation);
}

struct IntoOperands : mlir::RewritePattern {
  explicit IntoOperands(mlir::MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  mlir::LogicalResult matchAndRewrite(mlir::Operation *operation,
                                      mlir::PatternRewriter &rewriter) const override {
    if (!convertsItself(operation))
      return mlir::failure();
    bool found = false;
    for (mlir::OpOperand &operand : operation->getOpOperands())
      if (const mlir::Value source = quantisedSource(operand.get())) {
        rewriter.modifyOpInPlace(operation, [&] { operand.set(source); });
        found = true;
      }
    return mlir::success(found);
  }
};

struct IntoResult : mlir::OpRewritePattern<layer::ActivateOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::ActivateOp conversion,
                                      mlir::PatternRewriter &rewriter) const override {
    mlir::Operation *producer = conversion.getInput().getDefiningOp();
    if (!producer || !convertsItself(producer) || onlyQuantisation(conversion.getInput()) != conversion)
      return mlir::failure();
    rewriter.modifyOpInPlace(producer, [&] {
      producer->getResult(0).setType(conversion.getType());
      producer->setLoc(graph::fusedLocation({producer->getLoc(), conversion.getLoc()}));
    });
    rewriter.replaceOp(conversion, producer->getResults());
    return mlir::success();
  }
};

// What moves or picks elements does so with integers as well.
struct AcrossMovement : mlir::OpRewritePattern<layer::ActivateOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::ActivateOp conversion,
                                      mlir::PatternRewriter &rewriter) const override {
    mlir::Operation *mover = conversion.getInput().getDefiningOp();
    if (!mover || !layer::keepsStoredType(mover) || onlyQuantisation(conversion.getInput()) != conversion)
      return mlir::failure();
    const mlir::Value source = quantisedSource(mover->getOperand(0));
    if (!source || elementOf(source) != elementOf(conversion.getOutput()))
      return mlir::failure();
    rewriter.modifyOpInPlace(mover, [&] {
      mover->setOperand(0, source);
      mover->getResult(0).setType(conversion.getType());
      mover->setLoc(graph::fusedLocation({mover->getLoc(), conversion.getLoc()}));
    });
    rewriter.replaceOp(conversion, mover->getResults());
    return mlir::success();
  }
};

struct AcrossConcat : mlir::OpRewritePattern<layer::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::ConcatOp concat,
                                      mlir::PatternRewriter &rewriter) const override {
    auto conversion = onlyQuantisation(concat.getOutput());
    if (!conversion)
      return mlir::failure();
    llvm::SmallVector<mlir::Value> sources;
    for (const mlir::Value input : concat.getInputs()) {
      const mlir::Value source = quantisedSource(input);
      if (!source || elementOf(source) != elementOf(conversion.getOutput()))
        return mlir::failure();
      sources.push_back(source);
    }
    rewriter.modifyOpInPlace(concat, [&] {
      concat.getInputsMutable().assign(sources);
      concat.getOutput().setType(llvm::cast<mlir::RankedTensorType>(conversion.getType()));
      concat->setLoc(graph::fusedLocation({concat.getLoc(), conversion.getLoc()}));
    });
    rewriter.replaceOp(conversion, concat->getResults());
    return mlir::success();
  }
};

// --- Sums of products ---

mlir::OpOperand &weightsOf(layer::ConvOp op) { return op.getWeightsMutable(); }
mlir::OpOperand &weightsOf(layer::MatMulOp op) { return op.getBMutable(); }

// Scales of weights, by output; those of the sums of products are these times the input's.
std::optional<llvm::SmallVector<double>> unitsOf(mlir::Type input, mlir::Type weights) {
  const auto uniform = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(input);
  if (!uniform)
    return {};
  llvm::SmallVector<double> scales;
  if (const auto perAxis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(weights))
    scales.assign(perAxis.getScales().begin(), perAxis.getScales().end());
  else
    scales.push_back(llvm::cast<mlir::quant::UniformQuantizedType>(weights).getScale());
  for (double &scale : scales)
    scale = static_cast<float>(uniform.getScale()) * static_cast<float>(scale);
  return scales;
}

// The bias in those units; none where it is no constant or does not fit.
mlir::Value biasInUnits(mlir::Value bias, llvm::ArrayRef<double> units, LayerBuilder &to) {
  const auto reals = elementsOf(bias);
  if (!reals || reals->dtype() != DType::f32)
    return {};
  Tensor integers(DType::i32, reals->shape());
  for (size_t i = 0; i < reals->elementCount(); ++i) {
    const double q = std::nearbyint(reals->as<float>()[i] / units[units.size() == 1 ? 0 : i]);
    if (!(std::abs(q) < 0x1p30))
      return {};
    integers.mutableAs<int32_t>()[i] = static_cast<int32_t>(q);
  }
  return to.constant(integers, "bias");
}

template <class Product>
struct IntoProduct : mlir::OpRewritePattern<layer::ActivateOp> {
  using OpRewritePattern<layer::ActivateOp>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::ActivateOp conversion,
                                      mlir::PatternRewriter &rewriter) const override {
    auto product = conversion.getInput().getDefiningOp<Product>();
    if (!product || onlyQuantisation(product.getOutput()) != conversion || product.getAddend() ||
        !layer::isBound(product.getFunctionAttr()))
      return mlir::failure();
    const mlir::Value input = quantisedSource(product->getOperand(0)),
                      weights = quantisedSource(weightsOf(product).get());
    const auto units = input && weights ? unitsOf(elementOf(input), elementOf(weights)) : std::nullopt;
    if (!units)
      return mlir::failure();
    LayerBuilder to(rewriter, product.getLoc());
    const mlir::Value bias = product.getBias() ? biasInUnits(product.getBias(), *units, to) : mlir::Value();
    if (product.getBias() && !bias)
      return mlir::failure();
    rewriter.modifyOpInPlace(product, [&] {
      product->setOperand(0, input);
      weightsOf(product).set(weights);
      if (bias)
        product.getBiasMutable()[0].set(bias);
      product.getOutput().setType(llvm::cast<mlir::RankedTensorType>(conversion.getType()));
      product->setLoc(graph::fusedLocation({product.getLoc(), conversion.getLoc()}));
    });
    rewriter.replaceOp(conversion, product->getResults());
    return mlir::success();
  }
};

struct FoldConversionsPass : impl::FoldConversionsBase<FoldConversionsPass> {
  void runOnOperation() override {
    mlir::MLIRContext *context = &getContext();
    mlir::RewritePatternSet patterns(context);
    patterns.add<IntoOperands, IntoResult, AcrossMovement, AcrossConcat, IntoProduct<layer::ConvOp>,
                 IntoProduct<layer::MatMulOp>>(context);
    if (mlir::failed(mlir::applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig
