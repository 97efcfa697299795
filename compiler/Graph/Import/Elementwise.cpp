#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Import/Operators.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Value = Result<mlir::Value>;

// The second operand of an arithmetic operator. Before operator set 7 it was broadcast only if an attribute
// said so, and its axes were aligned with those of the first operand from axis `axis` on.
Value secondOperand(const NodeReader &node) {
  if (node.opset() >= 7 || node.integer("broadcast", 0) == 0)
    return node.input(1);
  const auto shape = node.shape(1);
  TILERIG_TRY(const int64_t axis, node.attribute("axis") ? node.axis(node.integer("axis", 0), node.rank(0))
                                                         : Result<int64_t>(node.rank(0) - node.rank(1)));
  if (axis < 0 || axis + node.rank(1) > node.rank(0))
    return node.refuse(fmt::format("shape {} cannot be broadcast to shape {} from axis {} on", text(shape),
                                   text(node.shape(0)), axis));
  Ints aligned(shape);
  aligned.append(static_cast<size_t>(node.rank(0) - node.rank(1) - axis), 1);
  return node.makeAs<ReshapeOp>(aligned, node.elementType(1), node.input(1));
}

// Imports PRelu. Before operator set 7 a vector of slopes had one slope for each channel.
Value prelu(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  mlir::Value slopes = node.input(1);
  if (node.opset() < 7 && node.rank(1) == 1 && node.rank(0) > 2) {
    Ints perChannel(node.shape(0).size() - 1, 1);
    perChannel[0] = node.shape(1)[0];
    TILERIG_TRY(slopes, node.makeAs<ReshapeOp>(perChannel, node.elementType(1), slopes));
  }
  return node.make<PReluOp>(node.input(0), slopes);
}

// Imports Min, Max and Sum, which take any number of operands: they are combined two at a time, from the
// left.
template <class Op>
Value chain(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(std::max<size_t>(1, node.inputs().size())));
  mlir::Value sum = node.input(0);
  for (size_t i = 1; i < node.inputs().size(); ++i) {
    TILERIG_TRY(sum, node.make<Op>(sum, node.input(i)));
  }
  return sum;
}

// Imports Mean: the sum of all operands, divided by their number.
Value mean(const NodeReader &node) {
  TILERIG_TRY(const mlir::Value sum, chain<AddOp>(node));
  const auto type = dtypeOfElement(tensorType(sum).getElementType());
  const auto count = static_cast<double>(node.inputs().size());
  TILERIG_TRY(const mlir::Value divisor, dispatch(*type, [&]<class T>() -> Value {
                if constexpr (std::is_floating_point_v<T>)
                  return node.constantValue(Tensor::scalar(static_cast<T>(count)));
                else
                  return node.unsupportedHere(
                      fmt::format("the mean of type {} is not supported", nameOf(*type)));
              }));
  return node.make<DivOp>(sum, divisor);
}

// Imports Clip. Before operator set 11 its bounds were float attributes, whatever the type of the operand.
Value clip(const NodeReader &node) {
  TILERIG_CHECK_OK(node.opset() < 11 ? node.needs(1) : node.needs(1, 3));
  TILERIG_TRY(mlir::Value low, node.number(1, "the lower bound"));
  TILERIG_TRY(mlir::Value high, node.number(2, "the upper bound"));
  const auto bound = [&](std::string_view name) -> Value {
    const auto *attribute = node.attribute(name);
    if (!attribute)
      return mlir::Value();
    const mlir::Value value = node.constantValue(Tensor::scalar(attribute->f()));
    return node.elementType(0).isF32() ? Value(value) : node.makeAs<CastOp>({}, node.elementType(0), value);
  };
  if (node.opset() < 11) {
    TILERIG_TRY(low, bound("min"));
    TILERIG_TRY(high, bound("max"));
  }
  return node.make<ClipOp>(node.input(0), low, high);
}

// Imports Swish, x * sigmoid(alpha * x), which is an ONNX operator since set 24.
Value swish(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  const mlir::Value x = node.input(0);
  const float alpha = node.real("alpha", 1);
  if (alpha == 1)
    return node.make<SiluOp>(x);
  mlir::Value factor = node.constantValue(Tensor::scalar(alpha));
  if (!node.elementType(0).isF32()) {
    TILERIG_TRY(factor, node.makeAs<CastOp>({}, node.elementType(0), factor));
  }
  TILERIG_TRY(const mlir::Value scaled, node.make<MulOp>(x, factor));
  TILERIG_TRY(const mlir::Value gate, node.make<SigmoidOp>(scaled));
  return node.make<MulOp>(x, gate);
}

Value castTo(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  const auto type = dtypeOfOnnx(node.integer("to", 0));
  if (!type)
    return node.unsupportedHere("attribute 'to' is not a supported element type");
  return node.makeAs<CastOp>(node.shape(0), node.typeOf(*type), node.input(0));
}

Value bitShift(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  const std::string direction = node.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return node.refuse(fmt::format("attribute 'direction' is '{}', expected 'LEFT' or 'RIGHT'", direction));
  return node.make<BitShiftOp>(node.input(0), node.input(1), direction == "LEFT");
}

// The fixed number of operands (1 to 3) of an operation; 0 if the number is not fixed or larger.
template <class Op>
constexpr size_t operandsOf = Op::template hasTrait<mlir::OpTrait::OneOperand>()           ? 1
                              : Op::template hasTrait<mlir::OpTrait::NOperands<2>::Impl>() ? 2
                              : Op::template hasTrait<mlir::OpTrait::NOperands<3>::Impl>() ? 3
                                                                                           : 0;

// Imports an elementwise operator whose attributes are floats with the defaults that the definition of the
// operation states.
template <class Op>
Value operatorAsDefined(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(operandsOf<Op>));
  Values operands = node.inputs();
  if constexpr (operandsOf<Op> == 2) {
    TILERIG_TRY(operands[1], secondOperand(node));
  }
  llvm::SmallVector<mlir::NamedAttribute> parameters;
  mlir::Builder of(node.place().getContext());
  for (const llvm::StringRef name : Op::getAttributeNames())
    parameters.push_back(
        of.getNamedAttr(name, of.getF32FloatAttr(node.real(Op::onnxName(name), *Op::onnxDefault(name)))));
  return node.make<Op>(mlir::ValueRange(operands), llvm::ArrayRef<mlir::NamedAttribute>(parameters));
}

// Whether an operation is an elementwise operator of ONNX with a fixed number of operands.
template <class Op>
constexpr bool isElementwiseOperator() {
  if constexpr (Op::template hasTrait<Elementwise>())
    return !Op::onnxType.empty() && operandsOf<Op> != 0 &&
           Op::template hasTrait<mlir::InferTypeOpInterface::Trait>();
  else
    return false;
}

// Adds an importer for an elementwise operator that has no importer of its own, if the operation's definition
// in TableGen states the number of operands and the defaults of all attributes.
template <class Op>
void addAsDefined(ImporterTable &table) {
  if constexpr (isElementwiseOperator<Op>())
    if (llvm::all_of(Op::getAttributeNames(),
                     [](llvm::StringRef name) { return Op::onnxDefault(name).has_value(); }))
      table.emplace(std::string_view(Op::onnxType), one(operatorAsDefined<Op>));
}

template <class... Ops>
void addAllAsDefined(ImporterTable &table) {
  (addAsDefined<Ops>(table), ...);
}

} // namespace

void addElementwise(ImporterTable &table) {
  table.emplace("Min", one(chain<MinOp>));
  table.emplace("Max", one(chain<MaxOp>));
  table.emplace("Sum", one(chain<AddOp>));
  table.emplace("PRelu", one(prelu));
  table.emplace("Mean", one(mean));
  table.emplace("IsNaN", one([](const NodeReader &node) -> Value {
                  TILERIG_CHECK_OK(node.needs(1));
                  return node.makeAs<IsNaNOp>(node.shape(0), node.typeOf(DType::boolean), node.input(0));
                }));
  table.emplace("IsInf", one([](const NodeReader &node) -> Value {
                  TILERIG_CHECK_OK(node.needs(1));
                  return node.makeAs<IsInfOp>(node.shape(0), node.typeOf(DType::boolean), node.input(0),
                                              node.integer("detect_negative", 1) != 0,
                                              node.integer("detect_positive", 1) != 0);
                }));
  table.emplace("BitShift", one(bitShift));
  table.emplace("CastLike", one([](const NodeReader &node) -> Value {
                  TILERIG_CHECK_OK(node.needs(2));
                  return node.makeAs<CastOp>(node.shape(0), node.elementType(1), node.input(0));
                }));
  table.emplace("Mod", one([](const NodeReader &node) -> Value {
                  TILERIG_CHECK_OK(node.needs(2));
                  return node.make<ModOp>(node.input(0), node.input(1), node.integer("fmod", 0) != 0);
                }));
  table.emplace("Gelu", one([](const NodeReader &node) -> Value {
                  TILERIG_CHECK_OK(node.needs(1));
                  return node.make<GeluOp>(node.input(0), node.text("approximate", "none") == "tanh");
                }));
  table.emplace("Clip", one(clip));
  table.emplace("Swish", one(swish));
  table.emplace("Cast", one(castTo));
  addAllAsDefined<
#define GET_OP_LIST
#include "compiler/Graph/IR/GraphOps.cpp.inc"
      >(table);
}

} // namespace tilerig::compiler
