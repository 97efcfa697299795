#include "compiler/Layer/FromGraph/Lowerings.h"
#include "compiler/Layer/IR/Types.h"

#include <cfloat>
#include <limits>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Unary = UnaryFunction;

float real(const llvm::APFloat &value) { return value.convertToFloat(); }

// The function and its parameters that correspond to a unary operation; null if there is none.
layer::FunctionAttr functionOf(mlir::Operation *operation, LayerBuilder &to) {
  const auto is = [&](Unary kind) { return [&to, kind](auto) { return to.function(kind); }; };
  const auto withAlpha = [&](Unary kind) {
    return [&to, kind](auto op) { return to.function(kind, real(op.getAlpha())); };
  };
  return llvm::TypeSwitch<mlir::Operation *, layer::FunctionAttr>(operation)
      .Case<AbsOp>(is(Unary::abs))
      .Case<AcosOp>(is(Unary::acos))
      .Case<AcoshOp>(is(Unary::acosh))
      .Case<AsinOp>(is(Unary::asin))
      .Case<AsinhOp>(is(Unary::asinh))
      .Case<AtanOp>(is(Unary::atan))
      .Case<AtanhOp>(is(Unary::atanh))
      .Case<CeilOp>(is(Unary::ceil))
      .Case<CosOp>(is(Unary::cos))
      .Case<CoshOp>(is(Unary::cosh))
      .Case<ErfOp>(is(Unary::erf))
      .Case<ExpOp>(is(Unary::exp))
      .Case<FloorOp>(is(Unary::floor))
      .Case<HardSwishOp>(is(Unary::hardSwish))
      .Case<LogOp>(is(Unary::log))
      .Case<MishOp>(is(Unary::mish))
      .Case<NegOp>(is(Unary::neg))
      .Case<NotOp>(is(Unary::logicalNot))
      .Case<ReciprocalOp>(is(Unary::reciprocal))
      .Case<ReluOp>(is(Unary::relu))
      .Case<RoundOp>(is(Unary::round))
      .Case<SigmoidOp>(is(Unary::sigmoid))
      .Case<SignOp>(is(Unary::sign))
      .Case<SiluOp>(is(Unary::silu))
      .Case<SinOp>(is(Unary::sin))
      .Case<SinhOp>(is(Unary::sinh))
      .Case<SoftplusOp>(is(Unary::softplus))
      .Case<SoftsignOp>(is(Unary::softsign))
      .Case<SqrtOp>(is(Unary::sqrt))
      .Case<TanOp>(is(Unary::tan))
      .Case<TanhOp>(is(Unary::tanh))
      .Case<CeluOp>(withAlpha(Unary::celu))
      .Case<EluOp>(withAlpha(Unary::elu))
      .Case<LeakyReluOp>(withAlpha(Unary::leakyRelu))
      .Case<ThresholdedReluOp>(withAlpha(Unary::thresholdedRelu))
      .Case([&](GeluOp op) { return to.function(op.getTanh() ? Unary::geluTanh : Unary::geluErf); })
      .Case([&](HardSigmoidOp op) {
        return to.function(Unary::hardSigmoid, real(op.getAlpha()), real(op.getBeta()));
      })
      .Case([&](SeluOp op) { return to.function(Unary::selu, real(op.getAlpha()), real(op.getGamma())); })
      .Default([](mlir::Operation *) { return layer::FunctionAttr(); });
}

std::optional<BinaryFunction> binaryOf(mlir::Operation *operation) {
  using Kind = BinaryFunction;
  const auto is = [](Kind kind) { return [kind](auto) { return std::optional(kind); }; };
  return llvm::TypeSwitch<mlir::Operation *, std::optional<Kind>>(operation)
      .Case<AddOp>(is(Kind::add))
      .Case<SubOp>(is(Kind::sub))
      .Case<MulOp>(is(Kind::mul))
      .Case<DivOp>(is(Kind::div))
      .Case<MinOp>(is(Kind::min))
      .Case<MaxOp>(is(Kind::max))
      .Case<PowOp>(is(Kind::pow))
      .Case<PReluOp>(is(Kind::prelu))
      .Case<EqualOp>(is(Kind::equal))
      .Case<LessOp>(is(Kind::less))
      .Case<LessOrEqualOp>(is(Kind::lessEqual))
      .Case<GreaterOp>(is(Kind::greater))
      .Case<GreaterOrEqualOp>(is(Kind::greaterEqual))
      .Case<AndOp>(is(Kind::logicalAnd))
      .Case<OrOp>(is(Kind::logicalOr))
      .Case<XorOp>(is(Kind::logicalXor))
      .Case([](ModOp op) { return std::optional(op.getFmod() ? Kind::fmod : Kind::mod); })
      .Default([](mlir::Operation *) { return std::optional<Kind>(); });
}

// Lowers arithmetic on bytes, which wraps around: the remainder of a 32-bit integer divided by 256 is its low byte.
mlir::Value wrappedBytes(BinaryFunction kind, mlir::Value a, mlir::Value b, LayerBuilder &to) {
  const mlir::Type wide = to.ops().getI32Type(), byte = tensorType(a).getElementType();
  const mlir::Value left = to.convert(a, wide), right = to.convert(b, wide);
  mlir::Value result = to.binary(kind, left, right);
  if (kind == BinaryFunction::add || kind == BinaryFunction::sub || kind == BinaryFunction::mul)
    result = to.binary(BinaryFunction::mod, result, to.number(256, result));
  return to.convert(result, byte);
}

// Lowers an operation on two tensors.
mlir::Value binary(BinaryFunction kind, mlir::Value a, mlir::Value b, LayerBuilder &to) {
  using Kind = BinaryFunction;
  const bool isArithmetic = kind == Kind::add || kind == Kind::sub || kind == Kind::mul ||
                            kind == Kind::div || kind == Kind::mod || kind == Kind::fmod;
  const mlir::Type exponent = tensorType(b).getElementType();
  if (kind == Kind::pow && layer::isFloatForInstructions(tensorType(a).getElementType()) &&
      !layer::isForInstructions(exponent)) // an integer, which is converted by the host
    b = to.convert(b, to.ops().getF32Type());
  return isArithmetic && tensorType(a).getElementType().isUnsignedInteger(8) ? wrappedBytes(kind, a, b, to)
                                                                             : to.binary(kind, a, b);
}

// Lowers BitwiseNot: the complement of x is -1 - x, of a byte 255 - x. Null for types that no instruction can use,
// and for unsigned integers that no instruction can hold.
mlir::Value complement(mlir::Value x, LayerBuilder &to) {
  const mlir::Type element = tensorType(x).getElementType();
  if (element.isUnsignedInteger(8))
    return wrappedBytes(BinaryFunction::sub, to.number(255, x), x, to);
  if (element.isSignlessInteger(32) || element.isSignlessInteger(64))
    return to.binary(BinaryFunction::sub, to.number(-1, x), x);
  return {};
}

// Lowers Clip: with two constant finite bounds to the function clip, with other bounds to a maximum and a
// minimum.
mlir::Value clip(ClipOp op, LayerBuilder &to) {
  const auto low = op.getLow() ? numberOf(op.getLow()) : std::nullopt,
             high = op.getHigh() ? numberOf(op.getHigh()) : std::nullopt;
  const auto isBound = [](std::optional<double> bound) { return bound && std::abs(*bound) <= FLT_MAX; };
  if (isBound(low) && isBound(high))
    return to.activate(Unary::clip, op.getInput(), static_cast<float>(*low), static_cast<float>(*high));
  if (low == 0 && !op.getHigh())
    return to.activate(Unary::relu, op.getInput());
  mlir::Value value = op.getInput();
  if (op.getLow())
    value = to.binary(BinaryFunction::max, value, op.getLow());
  if (op.getHigh())
    value = to.binary(BinaryFunction::min, value, op.getHigh());
  return value;
}

// Lowers Shrink: values beyond +-lambd move towards zero by the attribute `bias`, and values between become
// zero.
mlir::Value shrink(ShrinkOp op, LayerBuilder &to) {
  const mlir::Value x = op.getInput(), zero = to.number(0, x), bias = to.number(real(op.getBias()), x);
  const float lambd = real(op.getLambd());
  const mlir::Value isLow = to.binary(BinaryFunction::less, x, to.number(-lambd, x)),
                    isHigh = to.binary(BinaryFunction::greater, x, to.number(lambd, x));
  const mlir::Value outer = to.select(isHigh, to.binary(BinaryFunction::sub, x, bias), zero);
  return to.select(isLow, to.binary(BinaryFunction::add, x, bias), outer);
}

// Whether a value has indices into an axis of at most 256 elements, which bytes hold.
bool isIndexOfShortAxis(mlir::Value value) {
  while (mlir::Operation *movement = value.getDefiningOp()) {
    if (!llvm::isa<layer::ReshapeOp, layer::TransposeOp>(movement))
      break;
    value = movement->getOperand(0);
  }
  auto index = value.getDefiningOp<layer::ReduceOp>();
  if (!index || (index.getKind().getValue() != ReduceFunction::argMax &&
                 index.getKind().getValue() != ReduceFunction::argMin))
    return false;
  return shapeOf(index.getInput())[index.getAxes().front()] <= 256;
}

// Lowers Cast. A cast to a boolean tests whether the value is not zero; a cast of a float to an integer rounds
// towards zero. A cast of an integer to a byte keeps its low byte, where a conversion would saturate.
Lowered cast(CastOp op, LayerBuilder &to) {
  const mlir::Type target = tensorType(op.getOutput()).getElementType(),
                   source = tensorType(op.getInput()).getElementType();
  if (target.isUnsignedInteger(8) && (source.isSignlessInteger(32) || source.isSignlessInteger(64)) &&
      !isIndexOfShortAxis(op.getInput()))
    return lowered(
        to.convert(to.binary(BinaryFunction::mod, op.getInput(), to.number(256, op.getInput())), target));
  if (!target.isInteger(1) || tensorType(op.getInput()).getElementType().isInteger(1))
    return lowered(to.convert(op.getInput(), target));
  const mlir::Value isZero = to.binary(BinaryFunction::equal, op.getInput(), to.number(0, op.getInput()));
  return lowered(to.activate(Unary::logicalNot, isZero));
}

// Whether each element is NaN: only NaN differs from itself.
mlir::Value isNaN(mlir::Value x, LayerBuilder &to) {
  return to.activate(Unary::logicalNot, to.binary(BinaryFunction::equal, x, x));
}

mlir::Value isInf(IsInfOp op, LayerBuilder &to) {
  const mlir::Value x = op.getInput();
  const auto is = [&](double value) { return to.binary(BinaryFunction::equal, x, to.number(value, x)); };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (op.getNegative() && op.getPositive())
    return to.binary(BinaryFunction::logicalOr, is(-infinity), is(infinity));
  if (op.getNegative() || op.getPositive())
    return is(op.getNegative() ? -infinity : infinity);
  return to.binary(BinaryFunction::less, x, x); // constant false
}

} // namespace

std::optional<Lowered> lowerElementwise(mlir::Operation *operation, LayerBuilder &to) {
  if (const auto function = functionOf(operation, to))
    return lowered(
        to.make<layer::ActivateOp>(shapeOf(operation->getResult(0)), operation->getOperand(0), function));
  if (const auto kind = binaryOf(operation))
    return lowered(binary(*kind, operation->getOperand(0), operation->getOperand(1), to));
  using Found = std::optional<Lowered>;
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case([&](ClipOp op) -> Found { return lowered(clip(op, to)); })
      .Case([&](ShrinkOp op) -> Found { return lowered(shrink(op, to)); })
      .Case([&](CastOp op) -> Found { return cast(op, to); })
      .Case([&](BitwiseNotOp op) -> Found {
        const mlir::Value value = complement(op.getInput(), to);
        return value ? Found(lowered(value)) : Found();
      })
      .Case([&](IsNaNOp op) -> Found { return lowered(isNaN(op.getInput(), to)); })
      .Case([&](IsInfOp op) -> Found { return lowered(isInf(op, to)); })
      .Case([&](WhereOp op) -> Found { return lowered(to.select(op.getCondition(), op.getA(), op.getB())); })
      .Default([](mlir::Operation *) { return Found(); });
}

} // namespace tilerig::compiler
