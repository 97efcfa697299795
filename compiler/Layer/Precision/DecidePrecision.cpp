#include "compiler/Layer/Precision/DecidePrecision.h"

#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/DecisionAttributes.h"
#include "compiler/Layer/IR/LayerBuilder.h"
#include "compiler/Layer/IR/Quantised.h"
#include "compiler/Layer/Precision/Conversions.h"
#include "compiler/Layer/Precision/LayerNames.h"
#include "compiler/Layer/Precision/NineBits.h"
#include "compiler/Layer/Precision/PrecisionWarnings.h"
#include "compiler/Layer/Precision/SharedScales.h"
#include "compiler/Planning/Quantisation/WeightParameters.h"
#include "isa/Base/Support/File.h"

#include <fmt/core.h>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using graph::shapeOf;
using layer::elementOf;
using layer::quantisedOf;

class Decider {
public:
  Decider(mlir::func::FuncOp function, const PrecisionPlan &plan, const Ranges &ranges, bool widens)
      : body(function.getBody().front()), context(function.getContext()), plan(plan), ranges(ranges),
        widens(widens), shared(body, ranges) {}

  Result<std::vector<std::string>> run() {
    for (mlir::BlockArgument argument : body.getArguments())
      originals[argument] = elementOf(argument);
    TILERIG_CHECK_OK(convertArguments());
    for (mlir::Operation &operation : llvm::make_early_inc_range(body.without_terminator())) {
      for (const mlir::Value result : operation.getResults())
        originals.try_emplace(result, elementOf(result));
      if (!isConversion(&operation))
        TILERIG_CHECK_OK(decide(&operation));
    }
    if (widens)
      widenToNineBits(body, [&](mlir::Value value) {
        const mlir::Type original = originals.lookup(value);
        return original && layer::isFloatForInstructions(original);
      });
    restoreResults();
    return std::move(warnings);
  }

private:
  mlir::Type floatOf(Precision precision) const {
    switch (precision) {
    case Precision::fp16:
      return mlir::Float16Type::get(context);
    case Precision::bf16:
      return mlir::BFloat16Type::get(context);
    default:
      return mlir::Float32Type::get(context);
    }
  }
  mlir::Type quantised(ValueRange range, Precision precision) const {
    const bool isSigned = precision == Precision::int8;
    const auto type = isSigned ? QuantisedType::int8 : QuantisedType::uint8;
    const QuantisationParameters parameters = asymmetricParameters(range, type);
    return mlir::quant::UniformQuantizedType::get(
        isSigned ? mlir::quant::QuantizationFlags::Signed : 0, mlir::IntegerType::get(context, 8),
        mlir::Float32Type::get(context), parameters.scale, parameters.zeroPoint, isSigned ? -128 : 0,
        isSigned ? 127 : 255);
  }
  // Storage type for this precision of a value that is a float in the model. The scores of a softmax stay
  // floats in 8-bit precisions, because large negative numbers from a mask would make their scale too coarse.
  mlir::Type storedFloat(mlir::Value value, Precision precision) const {
    if (!isQuantised(precision))
      return floatOf(precision);
    const ValueRange range = shared.rangeOf(value);
    if (!feedsSoftmax(value))
      return quantised(range, precision);
    constexpr float largestFp16 = 65504;
    return floatOf(std::max(-range.low, range.high) <= largestFp16 ? Precision::fp16 : Precision::fp32);
  }
  // Storage type on the machine of a tensor that is not float in the model: 32 bits for integers, bytes for
  // booleans.
  mlir::Type storedOther(mlir::Type element) const {
    if (element.isSignlessInteger(64))
      return mlir::IntegerType::get(context, 32);
    if (element.isInteger(1))
      return mlir::IntegerType::get(context, 8, mlir::IntegerType::Unsigned);
    return element;
  }
  bool isFloat(mlir::Value value) const { return layer::isFloatForInstructions(originals.lookup(value)); }

  void setElement(mlir::Value value, mlir::Type element) {
    value.setType(mlir::RankedTensorType::get(shapeOf(value), element));
  }
  bool isConversion(mlir::Operation *operation) const { return conversions.contains(operation); }
  mlir::Value converted(mlir::Value value, mlir::Type element) {
    if (elementOf(value) == element)
      return value;
    const mlir::Value result = converter.as(value, element);
    conversions.insert(result.getDefiningOp());
    originals.try_emplace(result, originals.lookup(value));
    return result;
  }
  void convert(mlir::OpOperand &operand, mlir::Type element) {
    operand.set(converted(operand.get(), element));
  }

  // Inputs keep the types of the model; layers that read an input get a conversion in front. The host reads
  // integers and booleans as they are.
  Status convertArguments() {
    TILERIG_TRY(const Precision precision, plan.precisionOf({}));
    for (mlir::BlockArgument argument : body.getArguments()) {
      const mlir::Type stored =
          isFloat(argument) ? storedFloat(argument, precision) : storedOther(elementOf(argument));
      if (argument.use_empty() || stored == elementOf(argument))
        continue;
      const auto isConverted = [&](const mlir::OpOperand &use) {
        return isFloat(argument) || !llvm::isa<layer::HostOp>(use.getOwner());
      };
      if (llvm::none_of(argument.getUses(), isConverted))
        continue;
      const mlir::Value inside = converted(argument, stored);
      argument.replaceUsesWithIf(inside, [&](mlir::OpOperand &use) {
        return use.getOwner() != inside.getDefiningOp() && isConverted(use);
      });
    }
    return success();
  }
  void restoreResults() {
    for (mlir::OpOperand &operand : body.getTerminator()->getOpOperands())
      convert(operand, originals.lookup(operand.get()));
  }

  Status decide(mlir::Operation *operation) {
    if (llvm::isa<layer::ConstantOp>(operation))
      return success();
    if (auto host = llvm::dyn_cast<layer::HostOp>(operation))
      return decideHost(host);
    const LayerNames names = namesOf(operation->getLoc());
    TILERIG_TRY(const Precision precision, plan.precisionOf(names.all()));
    decided(operation, nameOf(precision));
    convertOthers(operation);
    const mlir::Value result = operation->getResult(0);
    if (!isFloat(result)) {
      setElement(result, storedOther(elementOf(result)));
      return decideOperandsOf(operation, precision);
    }
    if (layer::keepsStoredType(operation)) {
      keep(operation, precision);
      return success();
    }
    return llvm::TypeSwitch<mlir::Operation *, Status>(operation)
        .Case([&](layer::ConcatOp op) { return join(op, precision); })
        .Case([&](layer::ConvOp op) { return multiply(op, op.getWeightsMutable(), 0, precision); })
        .Case([&](layer::MatMulOp op) {
          const bool isMatrix = shapeOf(op.getB()).size() == 2;
          return multiply(op, op.getBMutable(),
                          isMatrix && !op.getTransposedB() ? std::optional<size_t>(0) : std::nullopt,
                          precision);
        })
        .Default([&](mlir::Operation *other) {
          setElement(other->getResult(0), storedFloat(other->getResult(0), precision));
          return decideOperandsOf(other, precision);
        });
  }

  void decided(mlir::Operation *operation, std::string_view decision) {
    operation->setDiscardableAttr(precisionAttribute, mlir::StringAttr::get(context, decision));
  }

  // Converts those operands that are integers or booleans in the model to the types that the machine stores.
  void convertOthers(mlir::Operation *operation) {
    for (mlir::OpOperand &operand : operation->getOpOperands())
      if (!isFloat(operand.get()))
        convert(operand, storedOther(elementOf(operand.get())));
  }

  // Host layers compute in the element types of the model, so a layer on the device converts their operands
  // back to these types. The exceptions are operands stored as 8-bit integers that represent float32: the
  // host dequantises them itself, so that the device stores one byte per element.
  Status decideHost(layer::HostOp host) {
    for (mlir::OpOperand &operand : host->getOpOperands()) {
      const mlir::Type original = originals.lookup(operand.get());
      const bool isComputed =
          operand.get().getDefiningOp() && !operand.get().getDefiningOp<layer::ConstantOp>();
      if (!(isComputed && original.isF32() && quantisedOf(elementOf(operand.get()))))
        convert(operand, original);
    }
    return success();
  }

  // Layers of the vector engine accept operands of any type. But pools, reductions and resizes add up
  // elements of one type: floats of the layer's precision, or integers. They add integers only if the layer's
  // precision is 8 bits and its result is not stored as a float.
  Status decideOperandsOf(mlir::Operation *operation, Precision precision) {
    const bool isSum = llvm::isa<layer::PoolOp, layer::ReduceOp, layer::ResizeOp>(operation);
    const mlir::Type result = elementOf(operation->getResult(0));
    const bool sumsIntegers = isQuantised(precision) && !llvm::isa<mlir::FloatType>(result);
    for (mlir::OpOperand &operand : operation->getOpOperands()) {
      const mlir::Type element = elementOf(operand.get());
      if (!isFloat(operand.get()))
        continue;
      const bool isConstant = operand.get().getDefiningOp<layer::ConstantOp>() != nullptr;
      if (isSum && static_cast<bool>(quantisedOf(element)) != sumsIntegers)
        convert(operand,
                isQuantised(precision) && !sumsIntegers ? result : storedFloat(operand.get(), precision));
      else if (isConstant || element.isF64())
        convert(operand,
                isConstant && !isQuantised(precision) ? floatOf(precision) : floatOf(Precision::fp32));
    }
    return success();
  }

  void keep(mlir::Operation *operation, Precision precision) {
    mlir::OpOperand &operand = operation->getOpOperand(0);
    const bool isConstant = operand.get().getDefiningOp<layer::ConstantOp>() != nullptr;
    if (isConstant || elementOf(operand.get()).isF64())
      convert(operand, storedFloat(operand.get(), precision));
    setElement(operation->getResult(0), elementOf(operand.get()));
  }

  Status join(layer::ConcatOp op, Precision precision) {
    const mlir::Type element = storedFloat(op.getOutput(), precision);
    for (mlir::OpOperand &operand : op->getOpOperands())
      convert(operand, element);
    setElement(op.getOutput(), element);
    return success();
  }

  template <class Product>
  Status multiply(Product op, mlir::OpOperand &weights, std::optional<size_t> channelAxis,
                  Precision precision) {
    if (!isFloat(weights.get())) // in a quantised model, the weights are integers already
      return storeSum(op, precision);
    if (isQuantised(precision) && op.getBias())
      if (const bool isComputed = !elementsOf(op.getBias()); isComputed || !elementsOf(weights.get())) {
        precision = Precision::fp32;
        decided(op, isComputed ? "fp32: the bias is not constant, so it cannot be quantised"
                               : "fp32: the weights are not constant, so the bias cannot use their scale");
      }
    return isQuantised(precision) ? multiplyIntegers(op, weights, channelAxis, precision)
                                  : multiplyFloats(op, weights, precision);
  }

  void warn(std::optional<std::string> warning) {
    if (warning)
      warnings.push_back(*std::move(warning));
  }

  // Sets the result type of a product. In 8 bits it also sets, if needed, the type `middle` to which the
  // accumulator is requantised before the addend is added and the function applied.
  template <class Product>
  Status storeSum(Product op, Precision precision) {
    warn(warnOfWideSums(op));
    setElement(op.getOutput(), storedFloat(op.getOutput(), precision));
    if (!isQuantised(precision))
      return success();
    // If the sum of a product is stored as a float, so is its addend: 8 bits are too coarse for addends such
    // as attention masks.
    const mlir::Type result = elementOf(op.getOutput());
    const bool rounds = static_cast<bool>(quantisedOf(result));
    if (op.getAddend() && rounds != static_cast<bool>(quantisedOf(elementOf(op.getAddend()))))
      convert(op.getAddendMutable()[0], rounds ? storedFloat(op.getAddend(), precision) : result);
    if (rounds && (op.getAddend() || !layer::isBound(op.getFunctionAttr())))
      op.setMiddle(quantised(rangeOfSum(op), precision));
    return success();
  }

  template <class Product>
  Status multiplyFloats(Product op, mlir::OpOperand &weights, Precision precision) {
    for (mlir::OpOperand *factor : {&op->getOpOperand(0), &weights}) {
      const mlir::Value original = factor->get();
      convert(*factor, floatOf(precision));
      warn(warnOfInfiniteWeights(op, precision, original, factor->get()));
    }
    if (op.getBias())
      convert(op.getBiasMutable()[0], floatOf(Precision::fp32));
    if (op.getAddend() && (quantisedOf(elementOf(op.getAddend())) || elementOf(op.getAddend()).isF64()))
      convert(op.getAddendMutable()[0], floatOf(precision));
    setElement(op.getOutput(), floatOf(precision));
    return success();
  }

  template <class Product>
  Status multiplyIntegers(Product op, mlir::OpOperand &weights, std::optional<size_t> channelAxis,
                          Precision precision) {
    mlir::OpOperand &input = op->getOpOperand(0);
    if (!quantisedOf(elementOf(input.get())))
      convert(input, storedFloat(input.get(), precision));
    if (elementsOf(weights.get())) {
      TILERIG_CHECK_OK(quantiseConstants(op, weights, channelAxis));
    } else if (!quantisedOf(elementOf(weights.get()))) {
      convert(weights, storedFloat(weights.get(), precision));
    }
    return storeSum(op, precision);
  }

  // Range of the sum of a product before the addend is added and the function applied. If the function is
  // applied before the addend is added and is a relu, the range begins at 0.
  template <class Product>
  ValueRange rangeOfSum(Product op) const {
    const auto entry = ranges.sums.find(op);
    ValueRange range = entry == ranges.sums.end() ? shared.rangeOf(op.getOutput()) : entry->second;
    if (op.getFunctionFirst() && op.getFunctionAttr().getKind() == UnaryFunction::relu)
      range.low = 0;
    return range;
  }

  template <class Product>
  Status quantiseConstants(Product op, mlir::OpOperand &weights, std::optional<size_t> channelAxis) {
    const auto input = llvm::cast<mlir::quant::UniformQuantizedType>(elementOf(op->getOperand(0)));
    LayerWeights layerWeights{namesOf(op.getLoc()).last(), *elementsOf(weights.get()), channelAxis,
                              op.getBias() ? elementsOf(op.getBias()) : std::nullopt,
                              static_cast<float>(input.getScale())};
    if (plan.weightScales() == WeightScales::perTensor || (!layerWeights.channelAxis && op.getBias()))
      layerWeights.channelAxis.reset();
    TILERIG_TRY(const QuantisedWeights quantisedWeights, quantiseWeights(layerWeights));
    releasePages(layerWeights.weights.bytes());
    mlir::OpBuilder builder(op);
    const llvm::SmallVector<double> scales(quantisedWeights.scales.begin(), quantisedWeights.scales.end());
    const auto storage = mlir::IntegerType::get(context, 8);
    const mlir::Type real = mlir::Float32Type::get(context);
    const unsigned isSigned = mlir::quant::QuantizationFlags::Signed;
    const mlir::Type element =
        layerWeights.channelAxis
            ? mlir::Type(mlir::quant::UniformQuantizedPerAxisType::get(
                  isSigned, storage, real, scales, llvm::SmallVector<int64_t>(scales.size(), 0),
                  static_cast<int32_t>(*layerWeights.channelAxis), -127, 127))
            : mlir::Type(
                  mlir::quant::UniformQuantizedType::get(isSigned, storage, real, scales[0], 0, -127, 127));
    weights.set(constant(builder, weights.get(), quantisedWeights.weights, element));
    if (op.getBias()) {
      Tensor bias(DType::i32, {static_cast<int64_t>(quantisedWeights.bias.size())});
      std::ranges::copy(quantisedWeights.bias, bias.mutableAs<int32_t>().begin());
      op.getBiasMutable()[0].set(constant(builder, op.getBias(), bias, storage32()));
    }
    return success();
  }
  mlir::Type storage32() const { return mlir::IntegerType::get(context, 32); }

  // Creates a constant with the elements of `tensor`, which replaces the constant `like` and gets its name.
  mlir::Value constant(mlir::OpBuilder &builder, mlir::Value like, const Tensor &tensor, mlir::Type element) {
    const mlir::ElementsAttr value = attributeOf(*context, tensor, namesOf(like.getLoc()).last());
    return layer::ConstantOp::create(builder, like.getLoc(),
                                     mlir::RankedTensorType::get(value.getShapedType().getShape(), element),
                                     value);
  }

  mlir::Block &body;
  mlir::MLIRContext *context;
  const PrecisionPlan &plan;
  const Ranges &ranges;
  bool widens;
  SharedScales shared;
  Conversions converter;
  llvm::DenseSet<mlir::Operation *> conversions;
  llvm::DenseMap<mlir::Value, mlir::Type> originals; // element type of each value in the ONNX model
  std::vector<std::string> warnings;
};

} // namespace

Result<std::vector<std::string>> decidePrecision(mlir::func::FuncOp function, const PrecisionPlan &plan,
                                                 const Ranges &ranges, bool widens) {
  return Decider(function, plan, ranges, widens).run();
}

} // namespace tilerig::compiler
