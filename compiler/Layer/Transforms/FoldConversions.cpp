#include "compiler/Graph/IR/Origins.h"
#include "compiler/Layer/IR/LayerBuilder.h"
#include "compiler/Layer/IR/Quantised.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <cmath>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FOLDCONVERSIONS
#include "compiler/Passes/Passes.h.inc"

namespace {

using layer::elementOf;
using layer::quantisedOf;

// The quantised value of which the given value is the dequantisation; null if the given value is not computed
// by a dequantisation.
mlir::Value quantisedSource(mlir::Value value) {
  auto conversion = value ? value.getDefiningOp<layer::ActivateOp>() : nullptr;
  if (!conversion || conversion.getFunction() || !quantisedOf(elementOf(conversion.getInput())) ||
      quantisedOf(elementOf(value)))
    return {};
  return conversion.getInput();
}

bool isOfOneScale(mlir::Value value) {
  return llvm::isa<mlir::quant::UniformQuantizedType>(elementOf(value));
}

// The operation that reads a layer's result, if it is the only reader and a quantisation; else null.
layer::ActivateOp onlyQuantisation(mlir::Value result) {
  if (!result.hasOneUse())
    return nullptr;
  auto conversion = llvm::dyn_cast<layer::ActivateOp>(*result.getUsers().begin());
  return conversion && !conversion.getFunction() && quantisedOf(elementOf(conversion.getOutput()))
             ? conversion
             : nullptr;
}

// Whether conversions of the operands and the result can be merged into the layer: layers of the vector
// engine can read and write all types.
bool convertsItself(mlir::Operation *operation) {
  return llvm::isa<layer::BinaryOp, layer::SelectOp, layer::SoftmaxOp, layer::NormalizeOp>(operation);
}

struct IntoOperands : mlir::RewritePattern {
  explicit IntoOperands(mlir::MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  mlir::LogicalResult matchAndRewrite(mlir::Operation *operation,
                                      mlir::PatternRewriter &rewriter) const override {
    if (!convertsItself(operation))
      return mlir::failure();
    bool isChanged = false;
    for (mlir::OpOperand &operand : operation->getOpOperands())
      if (const mlir::Value source = quantisedSource(operand.get()); source && isOfOneScale(source)) {
        rewriter.modifyOpInPlace(operation, [&] { operand.set(source); });
        isChanged = true;
      }
    return mlir::success(isChanged);
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

// Moves a dequantisation from in front of a layer that only moves or selects elements to behind it; the layer
// then works on integers.
struct BelowMovement : mlir::RewritePattern {
  explicit BelowMovement(mlir::MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  mlir::LogicalResult matchAndRewrite(mlir::Operation *mover,
                                      mlir::PatternRewriter &rewriter) const override {
    const mlir::Value source =
        layer::keepsStoredType(mover) ? quantisedSource(mover->getOperand(0)) : mlir::Value();
    if (!source || !llvm::isa<mlir::quant::UniformQuantizedType>(elementOf(source)))
      return mlir::failure();
    mlir::Operation *moved = rewriter.clone(*mover);
    moved->setOperand(0, source);
    moved->getResult(0).setType(
        mlir::RankedTensorType::get(graph::shapeOf(mover->getResult(0)), elementOf(source)));
    rewriter.replaceOpWithNewOp<layer::ActivateOp>(mover, mover->getResult(0).getType(), moved->getResult(0),
                                                   layer::FunctionAttr());
    return mlir::success();
  }
};

// Moves a quantisation in front of a layer that only moves or selects elements.
struct AboveMovement : mlir::OpRewritePattern<layer::ActivateOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::ActivateOp conversion,
                                      mlir::PatternRewriter &rewriter) const override {
    mlir::Operation *mover = conversion.getInput().getDefiningOp();
    if (!mover || !layer::keepsStoredType(mover) || llvm::isa<layer::PadOp>(mover) ||
        onlyQuantisation(conversion.getInput()) != conversion)
      return mlir::failure();
    const mlir::Value source = mover->getOperand(0);
    const mlir::Type element = elementOf(conversion.getOutput());
    // The new operand does not get the name of the model's quantised tensor, because that tensor has another
    // shape.
    const mlir::Value integers = layer::ActivateOp::create(
        rewriter, graph::withTensor(conversion.getLoc(), std::nullopt),
        mlir::RankedTensorType::get(graph::shapeOf(source), element), source, layer::FunctionAttr());
    mlir::Operation *moved = rewriter.clone(*mover);
    moved->setOperand(0, integers);
    moved->getResult(0).setType(conversion.getType());
    moved->setLoc(graph::fusedLocation({mover->getLoc(), conversion.getLoc()}));
    rewriter.replaceOp(conversion, moved->getResults());
    return mlir::success();
  }
};

// Removes a dequantisation followed by a quantisation with the same scale.
struct ThereAndBack : mlir::OpRewritePattern<layer::ActivateOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::ActivateOp conversion,
                                      mlir::PatternRewriter &rewriter) const override {
    const mlir::Value source = quantisedSource(conversion.getInput());
    if (!source || conversion.getFunction() || source.getType() != conversion.getType())
      return mlir::failure();
    rewriter.replaceOp(conversion, source);
    return mlir::success();
  }
};

// Merges a dequantisation and a quantisation with another scale into one conversion of integers, which gives
// exactly the integers that both give in float: in a narrower precision, the reals between them would be rounded.
struct ToOtherScale : mlir::OpRewritePattern<layer::ActivateOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::ActivateOp conversion,
                                      mlir::PatternRewriter &rewriter) const override {
    const mlir::Value source = quantisedSource(conversion.getInput());
    if (!source || conversion.getFunction() || !elementOf(conversion.getInput()).isF32() ||
        !isOfOneScale(source) || !isOfOneScale(conversion.getOutput()) ||
        source.getType() == conversion.getType())
      return mlir::failure();
    rewriter.modifyOpInPlace(conversion, [&] { conversion.getInputMutable().assign(source); });
    return mlir::success();
  }
};

// Whether the function has the same result in float arithmetic as in double arithmetic rounded to float,
// because it only selects a value or rounds only once.
bool isExactInFloat(layer::FunctionAttr function) {
  switch (function.getKind()) {
  case UnaryFunction::abs:
  case UnaryFunction::neg:
  case UnaryFunction::sign:
  case UnaryFunction::floor:
  case UnaryFunction::ceil:
  case UnaryFunction::round:
  case UnaryFunction::leakyRelu:
  case UnaryFunction::thresholdedRelu:
    return true;
  default:
    return layer::isBound(function);
  }
}

// Merges the sequence dequantise, function, quantise into one lookup table, which gives exactly the integers
// that the sequence gives.
struct ThroughFunction : mlir::OpRewritePattern<layer::ActivateOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::ActivateOp conversion,
                                      mlir::PatternRewriter &rewriter) const override {
    auto function = conversion.getInput().getDefiningOp<layer::ActivateOp>();
    if (!function || !function.getFunction() || !isExactInFloat(function.getFunctionAttr()) ||
        onlyQuantisation(conversion.getInput()) != conversion)
      return mlir::failure();
    const mlir::Value source = quantisedSource(function.getInput());
    if (!source || !isOfOneScale(source) || !isOfOneScale(conversion.getOutput()))
      return mlir::failure();
    rewriter
        .replaceOpWithNewOp<layer::ActivateOp>(conversion, conversion.getType(), source,
                                               function.getFunctionAttr())
        ->setLoc(graph::fusedLocation({function.getLoc(), conversion.getLoc()}));
    return mlir::success();
  }
};

// Merges a clamp into the product whose integer result it clamps. Operand and result of the clamp must have
// the same type, so that the clamp works on the stored integers.
template <class Product>
struct BoundIntoProduct : mlir::OpRewritePattern<layer::ActivateOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::ActivateOp bound,
                                      mlir::PatternRewriter &rewriter) const override {
    auto product = bound.getInput().getDefiningOp<Product>();
    if (!product || !product->hasOneUse() || !bound.getFunction() ||
        !layer::isBound(bound.getFunctionAttr()) || !quantisedOf(elementOf(product.getOutput())) ||
        product.getType() != bound.getType() || product.getFunction())
      return mlir::failure();
    rewriter.modifyOpInPlace(product, [&] {
      product.setFunctionAttr(bound.getFunctionAttr());
      product->setLoc(graph::fusedLocation({product.getLoc(), bound.getLoc()}));
    });
    rewriter.replaceOp(bound, product->getResults());
    return mlir::success();
  }
};

struct BelowConcat : mlir::OpRewritePattern<layer::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::ConcatOp concat,
                                      mlir::PatternRewriter &rewriter) const override {
    llvm::SmallVector<mlir::Value> sources;
    for (const mlir::Value input : concat.getInputs()) {
      const mlir::Value source = quantisedSource(input);
      if (!source || !isOfOneScale(source) ||
          (!sources.empty() && elementOf(source) != elementOf(sources.front())))
        return mlir::failure();
      sources.push_back(source);
    }
    const mlir::Value joined = layer::ConcatOp::create(
        rewriter, concat.getLoc(),
        mlir::RankedTensorType::get(graph::shapeOf(concat.getOutput()), elementOf(sources.front())), sources,
        concat.getAxis());
    rewriter.replaceOpWithNewOp<layer::ActivateOp>(concat, concat.getType(), joined, layer::FunctionAttr());
    return mlir::success();
  }
};

// Whether the operation is a sum or an average, which can be computed on integers if its result is multiplied
// by a factor.
bool isIntegerSum(mlir::Operation *operation) {
  if (auto pool = llvm::dyn_cast<layer::PoolOp>(operation))
    return pool.getKind().getValue() != PoolFunction::max && !pool.getFunction();
  auto reduce = llvm::dyn_cast<layer::ReduceOp>(operation);
  return reduce && !reduce.getFunction() &&
         (reduce.getKind().getValue() == ReduceFunction::sum ||
          reduce.getKind().getValue() == ReduceFunction::mean);
}

struct IntoSum : mlir::OpRewritePattern<layer::ActivateOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::ActivateOp conversion,
                                      mlir::PatternRewriter &rewriter) const override {
    mlir::Operation *sum = conversion.getInput().getDefiningOp();
    if (!sum || !isIntegerSum(sum) || onlyQuantisation(conversion.getInput()) != conversion)
      return mlir::failure();
    const mlir::Value source = quantisedSource(sum->getOperand(0));
    if (!source || !isOfOneScale(source))
      return mlir::failure();
    rewriter.modifyOpInPlace(sum, [&] {
      sum->setOperand(0, source);
      sum->getResult(0).setType(conversion.getType());
      sum->setLoc(graph::fusedLocation({sum->getLoc(), conversion.getLoc()}));
    });
    rewriter.replaceOp(conversion, sum->getResults());
    return mlir::success();
  }
};

mlir::OpOperand &weightsOf(layer::ConvOp op) { return op.getWeightsMutable(); }
mlir::OpOperand &weightsOf(layer::MatMulOp op) { return op.getBMutable(); }

// The scales of the integer sums of products, one for each output: the scale of the weights times the scale
// of the input; nullopt if the input has no single scale.
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

// The bias of a product as 32-bit integers with the scales `units`, one for each output; null if the bias is
// not constant or does not fit into 32 bits.
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

// Turns a product of dequantised operands into a product of integers. If its result is quantised afterwards,
// the quantisation becomes part of the product; otherwise the product scales its integer sum to a real
// number.
template <class Product>
struct OfIntegers : mlir::OpRewritePattern<Product> {
  using mlir::OpRewritePattern<Product>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Product product, mlir::PatternRewriter &rewriter) const override {
    const mlir::Value input = quantisedSource(product->getOperand(0)),
                      weights = quantisedSource(weightsOf(product).get());
    const auto units = input && weights ? unitsOf(elementOf(input), elementOf(weights)) : std::nullopt;
    if (!units)
      return mlir::failure();
    LayerBuilder to(rewriter, product.getLoc());
    const mlir::Value bias = product.getBias() ? biasInUnits(product.getBias(), *units, to) : mlir::Value();
    if (product.getBias() && !bias)
      return mlir::failure();
    auto conversion = onlyQuantisation(product.getOutput());
    // A product with an addend, or with a function other than a clamp, keeps computing with real numbers.
    if (product.getAddend() || !layer::isBound(product.getFunctionAttr()))
      conversion = nullptr;
    rewriter.modifyOpInPlace(product, [&] {
      product->setOperand(0, input);
      weightsOf(product).set(weights);
      if (bias)
        product.getBiasMutable()[0].set(bias);
      if (conversion) {
        product.getOutput().setType(llvm::cast<mlir::RankedTensorType>(conversion.getType()));
        product->setLoc(graph::fusedLocation({product.getLoc(), conversion.getLoc()}));
      }
    });
    if (conversion)
      rewriter.replaceOp(conversion, product->getResults());
    return mlir::success();
  }
};

// Computes the dequantisation of a constant with several scales, because layers other than products, of which the
// constant is the weights, can read only one scale.
struct OfConstant : mlir::OpRewritePattern<layer::ActivateOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::ActivateOp conversion,
                                      mlir::PatternRewriter &rewriter) const override {
    const mlir::Value source = quantisedSource(conversion.getOutput());
    const auto type = source ? llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(elementOf(source))
                             : mlir::quant::UniformQuantizedPerAxisType();
    const auto integers = type ? elementsOf(source) : std::nullopt;
    if (!integers || !elementOf(conversion.getOutput()).isF32())
      return mlir::failure();
    const auto axis = static_cast<size_t>(type.getQuantizedDimension());
    const auto inner = static_cast<size_t>(integers->strides()[axis]),
               size = static_cast<size_t>(integers->shape()[axis]);
    Tensor reals(DType::f32, integers->shape());
    for (size_t i = 0; i < reals.elementCount(); ++i) {
      const size_t index = i / inner % size;
      const int64_t integer = integers->dtype() == DType::i8 ? int64_t{integers->as<int8_t>()[i]}
                                                             : int64_t{integers->as<uint8_t>()[i]};
      reals.mutableAs<float>()[i] = static_cast<float>(integer - type.getZeroPoints()[index]) *
                                    static_cast<float>(type.getScales()[index]);
    }
    const mlir::Value constant = LayerBuilder(rewriter, conversion.getLoc()).constant(reals, "reals");
    // An output of the network stays the result of a layer.
    if (llvm::any_of(conversion->getUsers(),
                     [](mlir::Operation *user) { return user->hasTrait<mlir::OpTrait::IsTerminator>(); }))
      rewriter.modifyOpInPlace(conversion, [&] { conversion.getInputMutable().assign(constant); });
    else
      rewriter.replaceOp(conversion, constant);
    return mlir::success();
  }
};

struct FoldConversionsPass : impl::FoldConversionsBase<FoldConversionsPass> {
  void runOnOperation() override {
    mlir::MLIRContext *context = &getContext();
    mlir::RewritePatternSet patterns(context);
    patterns.add<IntoOperands, IntoResult, AboveMovement, BelowMovement, BelowConcat, ThereAndBack,
                 ToOtherScale, IntoSum, ThroughFunction, BoundIntoProduct<layer::ConvOp>,
                 BoundIntoProduct<layer::MatMulOp>, OfIntegers<layer::ConvOp>, OfIntegers<layer::MatMulOp>>(
        context);
    mlir::RewritePatternSet constants(context);
    constants.add<OfConstant>(context);
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))) ||
        mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(constants))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
