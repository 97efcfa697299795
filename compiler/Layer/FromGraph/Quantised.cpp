// Lowering of quantised operators. QuantizeLinear and DequantizeLinear become conversions; the pass
// fold-conversions later decides for all layers which conversions are merged into a layer.
#include "compiler/Layer/FromGraph/Quantised.h"

#include "compiler/Layer/FromGraph/DynamicQuantise.h"
#include "compiler/Layer/IR/Types.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Found = std::optional<Lowered>;

std::optional<std::vector<double>> realsOf(mlir::Value value) {
  const auto elements = elementsOf(value);
  if (!elements || elements->dtype() != DType::f32)
    return {};
  const auto all = elements->as<float>();
  return std::vector<double>(all.begin(), all.end());
}

std::optional<std::vector<int64_t>> integersOf(mlir::Value value, size_t count) {
  if (!value)
    return std::vector<int64_t>(count, 0);
  const auto elements = elementsOf(value);
  if (elements && elements->dtype() == DType::i8)
    return std::vector<int64_t>(elements->as<int8_t>().begin(), elements->as<int8_t>().end());
  if (elements && elements->dtype() == DType::u8)
    return std::vector<int64_t>(elements->as<uint8_t>().begin(), elements->as<uint8_t>().end());
  return {};
}

constexpr const char *differentZeros =
    "zero points that differ between channels are not supported by the accelerator";

constexpr const char *severalScales =
    "a scale for each index of an axis is supported by the accelerator only for weights";

bool haveDifferentZeros(const std::vector<int64_t> &zeroPoints) {
  return llvm::any_of(zeroPoints, [&](int64_t zero) { return zero != zeroPoints.front(); });
}

mlir::Type elementType(mlir::Value value) { return tensorType(value).getElementType(); }

// Whether the operator interprets integers with scales or zero points.
bool hasScales(mlir::Operation *reader) {
  return llvm::isa<DequantizeLinearOp, QLinearConvOp, QLinearMatMulOp, ConvIntegerOp, MatMulIntegerOp>(
      reader);
}

// Whether the value has plain integers and all its readers other than `apart` are operators that interpret
// these integers with scales or zero points.
bool areReadByScales(mlir::Value integers, mlir::Operation *apart) {
  return llvm::isa<mlir::IntegerType>(elementType(integers)) &&
         llvm::all_of(integers.getUsers(),
                      [&](mlir::Operation *reader) { return reader == apart || hasScales(reader); });
}

// Gives a model input the quantised type with which its readers interpret it, and returns the input. (The
// type of the function is updated later.)
mlir::Value inputOf(mlir::BlockArgument argument, mlir::Type type) {
  argument.setType(mlir::RankedTensorType::get(shapeOf(argument), type));
  return argument;
}

mlir::Type typeOf(mlir::Type storage, const std::vector<double> &scales,
                  const std::vector<int64_t> &zeroPoints, int64_t axis) {
  const bool isSigned = !storage.isUnsignedInteger();
  const unsigned flags = isSigned ? mlir::quant::QuantizationFlags::Signed : 0;
  mlir::MLIRContext *context = storage.getContext();
  const auto bits = mlir::IntegerType::get(context, 8);
  const mlir::Type real = mlir::Float32Type::get(context);
  const int64_t low = isSigned ? -128 : 0, high = isSigned ? 127 : 255;
  if (scales.size() == 1)
    return mlir::quant::UniformQuantizedType::get(flags, bits, real, scales.front(), zeroPoints.front(), low,
                                                  high);
  return mlir::quant::UniformQuantizedPerAxisType::get(flags, bits, real, scales, zeroPoints,
                                                       static_cast<int32_t>(axis), low, high);
}

} // namespace

bool isReadByScales(mlir::Value integers) {
  llvm::SmallSetVector<mlir::Value, 8> values;
  values.insert(integers);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].use_empty())
      return false;
    for (mlir::Operation *reader : values[i].getUsers()) {
      if (hasScales(reader))
        continue;
      if (reader->getNumResults() != 1 || elementType(reader->getResult(0)) != elementType(integers))
        return false;
      values.insert(reader->getResult(0));
    }
  }
  return true;
}

Result<mlir::Type> quantisedType(mlir::Type storage, mlir::Value scale, mlir::Value zeroPoint, int64_t axis) {
  if (!storage.isInteger(8))
    return noLayer("quantised integers of other than 8 bits are not supported by the accelerator");
  const auto scales = realsOf(scale);
  const auto zeroPoints = scales ? integersOf(zeroPoint, scales->size()) : std::nullopt;
  if (!scales || !zeroPoints || zeroPoints->size() != scales->size() || scales->empty())
    return noLayer("scales and zero points that are not constants are not supported by the accelerator");
  if (haveDifferentZeros(*zeroPoints))
    return noLayer(differentZeros);
  for (const double each : *scales)
    if (!(each > 0) || each > std::numeric_limits<float>::max())
      return noLayer("a scale that is not positive and finite is not supported by the accelerator");
  return typeOf(storage, *scales, *zeroPoints, axis);
}

Result<mlir::Value> asIntegers(mlir::Value integers, mlir::Value zeroPoint, int64_t axis, LayerBuilder &to) {
  const auto zeroPoints = integersOf(zeroPoint, 1);
  if (!zeroPoints || zeroPoints->empty())
    return noLayer("zero points that are not constants are not supported by the accelerator");
  if (haveDifferentZeros(*zeroPoints))
    return noLayer(differentZeros);
  const auto known = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(elementType(integers));
  if (known && zeroPoints->size() == 1 && known.getZeroPoint() == zeroPoints->front())
    return integers;
  if (!elementType(integers).isInteger(8))
    return noLayer("reading integers with another zero point than they were quantised with "
                   "is not supported by the accelerator");
  const std::vector<double> ones(zeroPoints->size(), 1);
  return asQuantised(integers, typeOf(elementType(integers), ones, *zeroPoints, axis), to);
}

Result<mlir::Value> asQuantised(mlir::Value integers, mlir::Type type, LayerBuilder &to,
                                mlir::Operation *reader) {
  if (elementType(integers) == type)
    return integers;
  const auto typed = mlir::RankedTensorType::get(shapeOf(integers), type);
  if (auto constant = integers.getDefiningOp<layer::ConstantOp>())
    return mlir::Value(layer::ConstantOp::create(to.ops(), integers.getLoc(), typed, constant.getValue()));
  const bool mayChange = areReadByScales(integers, reader);
  if (const auto argument = llvm::dyn_cast<mlir::BlockArgument>(integers); argument && mayChange)
    return inputOf(argument, type);
  mlir::Operation *mover = integers.getDefiningOp();
  if (!mover || !layer::keepsStoredType(mover) || !mayChange)
    return noLayer("reading integers with another scale than they were quantised with "
                   "is not supported by the accelerator");
  TILERIG_TRY(const mlir::Value source, asQuantised(mover->getOperand(0), type, to, mover));
  mover->setOperand(0, source);
  integers.setType(typed);
  return integers;
}

namespace {

Lowered quantize(QuantizeLinearOp op, LayerBuilder &to) {
  if (op.getBlockSize() != 0)
    return noLayer("a scale for each block is not supported by the accelerator");
  TILERIG_TRY(const mlir::Type type, quantisedType(elementType(op.getOutput()), op.getScale(),
                                                   op.getZeroPoint(), static_cast<int64_t>(op.getAxis())));
  if (llvm::isa<mlir::quant::UniformQuantizedPerAxisType>(type))
    return noLayer(severalScales);
  return lowered(
      to.makeAs<layer::ActivateOp>(shapeOf(op.getInput()), type, op.getInput(), layer::FunctionAttr()));
}

// Dequantises a constant bias of 32-bit integers at compile time.
Lowered dequantizeBias(DequantizeLinearOp op, LayerBuilder &to) {
  const auto integers = elementsOf(op.getInput());
  const auto scales = realsOf(op.getScale());
  if (!integers || !scales || (scales->size() != 1 && scales->size() != integers->elementCount()))
    return noLayer(
        "dequantising 32-bit integers other than a constant vector is not supported by the accelerator");
  Tensor reals(DType::f32, integers->shape());
  for (size_t i = 0; i < integers->elementCount(); ++i)
    reals.mutableAs<float>()[i] = static_cast<float>(integers->as<int32_t>()[i]) *
                                  static_cast<float>((*scales)[scales->size() == 1 ? 0 : i]);
  return lowered(to.constant(reals, "bias"));
}

Lowered dequantize(DequantizeLinearOp op, LayerBuilder &to) {
  if (op.getBlockSize() != 0)
    return noLayer("a scale for each block is not supported by the accelerator");
  const mlir::Type stored = elementType(op.getInput());
  if (stored.isInteger(32))
    return dequantizeBias(op, to);
  mlir::Type type = stored;
  if (const auto quantised = layer::quantisedOf(stored)) {
    TILERIG_TRY(type,
                quantisedType(mlir::IntegerType::get(to.context(), 8,
                                                     quantised.isSigned() ? mlir::IntegerType::Signless
                                                                          : mlir::IntegerType::Unsigned),
                              op.getScale(), op.getZeroPoint(), static_cast<int64_t>(op.getAxis())));
  } else {
    TILERIG_TRY(type,
                quantisedType(stored, op.getScale(), op.getZeroPoint(), static_cast<int64_t>(op.getAxis())));
  }
  if (llvm::isa<mlir::quant::UniformQuantizedPerAxisType>(type) && !elementsOf(op.getInput()))
    return noLayer(severalScales);
  TILERIG_TRY(const mlir::Value integers, asQuantised(op.getInput(), type, to));
  return lowered(to.makeAs<layer::ActivateOp>(shapeOf(op.getInput()), elementType(op.getOutput()), integers,
                                              layer::FunctionAttr()));
}

} // namespace

Found lowerQuantised(mlir::Operation *operation, LayerBuilder &to) {
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case([&](QuantizeLinearOp op) -> Found { return quantize(op, to); })
      .Case([&](DequantizeLinearOp op) -> Found { return dequantize(op, to); })
      .Case([&](DynamicQuantizeLinearOp op) -> Found { return quantiseDynamically(op, to); })
      .Default([](mlir::Operation *) { return Found(); });
}

} // namespace tilerig::compiler
