#include "compiler/Layer/Partition/HostForm.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/Types.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

mlir::NamedAttribute integers(mlir::Builder &builder, llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
  return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
}

// Whether a host kernel would see the tensor in the form in which the accelerator's layer sees it. A kernel
// gets tensors in the axis order of the exported ONNX model, and quantised values as real numbers.
bool isPlain(mlir::Value value) {
  const auto origin = graph::tensorOrigin(value);
  const bool isInOrder =
      !origin || llvm::equal(origin->order, llvm::seq<int64_t>(static_cast<int64_t>(origin->order.size())));
  return isInOrder && !layer::quantisedOf(layer::elementOf(value));
}

} // namespace

std::optional<HostForm> hostFormOf(mlir::Operation *layer) {
  using Form = std::optional<HostForm>;
  mlir::Builder builder(layer->getContext());
  if (layer->getNumResults() != 1 || !llvm::all_of(layer->getOperands(), isPlain) ||
      !isPlain(layer->getResult(0)))
    return std::nullopt;
  const auto shape = integers(builder, "shape", graph::shapeOf(layer->getResult(0)));
  return llvm::TypeSwitch<mlir::Operation *, Form>(layer)
      .Case([&](layer::ReshapeOp) -> Form {
        return HostForm{"Reshape", {shape}};
      })
      .Case([&](layer::SliceOp op) -> Form {
        return HostForm{
            "Slice",
            {integers(builder, "starts", op.getStarts()), integers(builder, "steps", op.getSteps()), shape}};
      })
      .Case([&](layer::TransposeOp op) -> Form {
        return HostForm{"Transpose", {integers(builder, "perm", op.getPerm())}};
      })
      .Default([](mlir::Operation *) { return Form(); });
}

namespace {

using Form = std::optional<HostForm>;

// The host has no kernels for functions that are fused into a layer.
template <class Layer>
bool isFused(Layer op) {
  return static_cast<bool>(op.getFunctionAttr());
}

Form binaryForm(layer::BinaryOp op, mlir::Builder &builder) {
  using Kind = BinaryFunction;
  const mlir::Type element = layer::elementOf(op.getA());
  const bool isFloat = llvm::isa<mlir::FloatType>(element);
  switch (op.getKind().getValue()) {
  case Kind::add:
    return HostForm{"Add", {}};
  case Kind::sub:
    return HostForm{"Sub", {}};
  case Kind::mul:
    return HostForm{"Mul", {}};
  case Kind::div:
    return HostForm{"Div", {}};
  case Kind::min:
    return HostForm{"Min", {}};
  case Kind::max:
    return HostForm{"Max", {}};
  case Kind::equal:
    return HostForm{"Equal", {}};
  case Kind::less:
    return HostForm{"Less", {}};
  case Kind::lessEqual:
    return HostForm{"LessOrEqual", {}};
  case Kind::greater:
    return HostForm{"Greater", {}};
  case Kind::greaterEqual:
    return HostForm{"GreaterOrEqual", {}};
  case Kind::mod:
    return isFloat ? Form() : HostForm{"Mod", {}};
  case Kind::fmod:
    return HostForm{"Mod", {builder.getNamedAttr("fmod", builder.getI64IntegerAttr(1))}};
  case Kind::pow: {
    const mlir::Type exponent = layer::elementOf(op.getB());
    const bool isNumber = exponent.isF32() || exponent.isF64() ||
                          (llvm::isa<mlir::IntegerType>(exponent) && !exponent.isUnsignedInteger(64));
    const bool isOfIntegers = llvm::isa<mlir::IntegerType>(element) && isNumber;
    return isOfIntegers ? HostForm{"Pow", {}} : Form();
  }
  default:
    return {};
  }
}

Form unaryForm(layer::ActivateOp op, mlir::Builder &builder) {
  const mlir::Type from = layer::elementOf(op.getInput()), to = layer::elementOf(op.getOutput());
  if (!isFused(op)) {
    const bool isHalfOfLong = (to.isF16() || to.isBF16()) && from.isInteger(64);
    const std::optional<DType> type = dtypeOfElement(to);
    if (!type || isHalfOfLong)
      return {};
    return HostForm{"Cast", {builder.getNamedAttr("to", builder.getI64IntegerAttr(onnxNumber(*type)))}};
  }
  switch (op.getFunctionAttr().getKind()) {
  case UnaryFunction::abs:
    return HostForm{"Abs", {}};
  case UnaryFunction::neg:
    return HostForm{"Neg", {}};
  case UnaryFunction::sign:
    return HostForm{"Sign", {}};
  default:
    return {};
  }
}

} // namespace

std::optional<HostForm> hostFormWithoutInstructions(mlir::Operation *layer) {
  if (const std::optional<HostForm> form = hostFormOf(layer))
    return form;
  mlir::Builder builder(layer->getContext());
  if (layer->getNumResults() != 1 || !llvm::all_of(layer->getOperands(), isPlain) ||
      !isPlain(layer->getResult(0)))
    return std::nullopt;
  return llvm::TypeSwitch<mlir::Operation *, Form>(layer)
      .Case([&](layer::BinaryOp op) { return isFused(op) ? Form() : binaryForm(op, builder); })
      .Case([&](layer::ActivateOp op) { return unaryForm(op, builder); })
      .Case([&](layer::SelectOp op) {
        return isFused(op) ? Form() : HostForm{"Where", {}};
      })
      .Case([&](layer::ExpandOp) {
        return HostForm{"Expand", {integers(builder, "shape", graph::shapeOf(layer->getResult(0)))}};
      })
      .Case([&](layer::ConcatOp op) {
        constexpr size_t mostOperands = 8; // as isa/Program/HostSignature.cpp states
        return op.getInputs().size() > mostOperands
                   ? Form()
                   : HostForm{"Concat", {builder.getNamedAttr("axis", op.getAxisAttr())}};
      })
      .Default([](mlir::Operation *) { return Form(); });
}

layer::HostOp moveToHost(mlir::Operation *layer, const HostForm &form) {
  mlir::OpBuilder builder(layer);
  const llvm::SmallVector<bool> present(layer->getNumOperands(), true);
  auto moved = layer::HostOp::create(builder, layer->getLoc(), layer->getResultTypes(), layer->getOperands(),
                                     form.kernel, builder.getDictionaryAttr(form.parameters), present);
  for (const mlir::NamedAttribute attribute : layer->getDiscardableAttrs())
    moved->setDiscardableAttr(attribute.getName(), attribute.getValue());
  layer->replaceAllUsesWith(moved);
  layer->erase();
  return moved;
}

} // namespace tilerig::compiler
