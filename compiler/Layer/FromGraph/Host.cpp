// Lowering of operators to kernels of the host.
#include "compiler/Graph/IR/NotUnrolled.h"
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/FromGraph/Lowerings.h"
#include "compiler/Layer/Partition/Layers.h"
#include "isa/Program/HostSignature.h"

#include <algorithm>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

HostOperand operandOf(mlir::Type type) {
  const auto tensor = llvm::cast<mlir::RankedTensorType>(type);
  return {dtypeOfElement(tensor.getElementType()), tensor.getShape()};
}

// The type to which an operand of a host kernel is converted. Kernels that compute, rather than move
// elements, support only 32-bit floats: 16-bit floats are widened for them, and their results are rounded
// once.
mlir::Type kernelType(mlir::Type type, HostType wanted) {
  const auto tensor = llvm::cast<mlir::RankedTensorType>(type);
  const bool computes = wanted == HostType::float32 || wanted == HostType::number;
  const mlir::Type element = tensor.getElementType();
  return computes && (element.isF16() || element.isBF16())
             ? mlir::Type(
                   mlir::RankedTensorType::get(tensor.getShape(), mlir::Float32Type::get(type.getContext())))
             : type;
}

// The types of the results that a host kernel computes, if the operation has results of the given types.
llvm::SmallVector<mlir::Type> kernelResults(mlir::TypeRange types, const HostSignature &signature) {
  llvm::SmallVector<mlir::Type> results(types);
  for (auto [type, rule] : llvm::zip(results, signature.outputs))
    type = kernelType(type, rule.type == HostType::asFirst ? signature.inputs.front().type : rule.type);
  return results;
}

// Checks that a host kernel accepts the operands, and the results of the given types, once they are converted to
// the types that it takes.
Status checkKernel(mlir::TypeRange types, llvm::StringRef kernel, llvm::ArrayRef<mlir::Value> operands) {
  const HostSignature &signature = *findHostSignature(kernel);
  std::vector<std::optional<HostOperand>> inputs;
  for (const auto [index, operand] : llvm::enumerate(operands)) {
    const HostType wanted = index < signature.inputs.size() ? signature.inputs[index].type : HostType::any;
    inputs.push_back(operand ? std::optional(operandOf(kernelType(operand.getType(), wanted)))
                             : std::nullopt);
  }
  return checkHostOperands(signature, inputs,
                           llvm::map_to_vector(kernelResults(types, signature), operandOf));
}

mlir::Type elementOf(mlir::Type type) { return llvm::cast<mlir::RankedTensorType>(type).getElementType(); }

// The operand of a host kernel, converted if the kernel takes another type. Each conversion gets a location
// of its own, so that the conversions of one node can be told apart.
mlir::Value widened(mlir::Value operand, size_t index, HostType wanted, LayerBuilder &to) {
  if (!operand)
    return operand;
  const std::string part = graph::nodeName(to.place()) + ".input" + std::to_string(index);
  LayerBuilder at(to.ops(), mlir::NameLoc::get(mlir::StringAttr::get(to.context(), part)));
  return at.convert(operand, elementOf(kernelType(operand.getType(), wanted)));
}

Lowered onHost(mlir::TypeRange types, llvm::StringRef kernel, mlir::ArrayRef<mlir::NamedAttribute> parameters,
               llvm::ArrayRef<mlir::Value> operands, LayerBuilder &to) {
  const HostSignature &signature = *findHostSignature(kernel);
  if (const Status checked = checkKernel(types, kernel, operands); !checked)
    return noLayer(checked.error().message());
  llvm::SmallVector<mlir::Value> inputs, wide;
  llvm::SmallVector<bool> present;
  for (const auto [index, operand] : llvm::enumerate(operands))
    wide.push_back(index < signature.inputs.size() ? widened(operand, index, signature.inputs[index].type, to)
                                                   : operand);
  for (const mlir::Value operand : wide) {
    present.push_back(static_cast<bool>(operand));
    if (operand)
      inputs.push_back(operand);
  }
  const llvm::SmallVector<mlir::Type> results = kernelResults(types, signature);
  auto hostOp = layer::HostOp::create(to.ops(), to.place(), results, inputs, kernel,
                                      to.ops().getDictionaryAttr(parameters), present);
  llvm::SmallVector<mlir::Value> values;
  for (const auto [result, type] : llvm::zip(hostOp.getResults(), types))
    values.push_back(to.convert(result, elementOf(type)));
  return values;
}

Lowered onHost(mlir::Operation *op, llvm::StringRef kernel, mlir::ArrayRef<mlir::NamedAttribute> parameters,
               llvm::ArrayRef<mlir::Value> operands, LayerBuilder &to) {
  return onHost(op->getResultTypes(), kernel, parameters, operands, to);
}

// Lowers a recurrent operation, which the accelerator could run if it were unrolled: the layer states why it is not.
Lowered recurrentOnHost(mlir::Operation *op, llvm::StringRef kernel,
                        mlir::ArrayRef<mlir::NamedAttribute> parameters, llvm::ArrayRef<mlir::Value> operands,
                        LayerBuilder &to) {
  Lowered values = onHost(op, kernel, parameters, operands, to);
  const auto reason = op->getAttrOfType<mlir::StringAttr>(graph::notUnrolledAttribute);
  if (!values || !reason)
    return values;
  mlir::Operation *layer = values->front().getDefiningOp();
  if (!llvm::isa<layer::HostOp>(layer)) // the result is converted to halves
    layer = layer->getOperand(0).getDefiningOp();
  layer->setDiscardableAttr(
      placementAttribute,
      to.ops().getStringAttr("the host has a kernel, and the layer is not unrolled for the accelerator: " +
                             reason.getValue().str()));
  return values;
}

Lowered topK(graph::TopKOp op, LayerBuilder &to) {
  mlir::Builder &of = to.ops();
  return onHost(op, "TopK",
                {of.getNamedAttr("k", of.getI64IntegerAttr(static_cast<int64_t>(op.getK()))),
                 of.getNamedAttr("axis", of.getI64IntegerAttr(static_cast<int64_t>(op.getAxis()))),
                 of.getNamedAttr("largest", of.getI64IntegerAttr(op.getLargest() ? 1 : 0))},
                {op.getInput()}, to);
}

// Whether a recurrent operator, such as LSTM, has the default activation functions and no clipping, as the
// kernels of the host require.
template <class Op>
bool isPlain(Op op, llvm::ArrayRef<llvm::StringRef> activations) {
  const auto names = op.getActivations().template getAsRange<mlir::StringAttr>();
  size_t at = 0;
  for (const mlir::StringAttr name : names)
    if (name.getValue() != activations[at++ % activations.size()])
      return false;
  return op.getClip().isZero();
}

template <class Op>
llvm::SmallVector<mlir::NamedAttribute> recurrentParameters(Op op, mlir::Builder &of) {
  return {of.getNamedAttr("direction", of.getStringAttr(graph::stringifyDirection(op.getDirection()))),
          of.getNamedAttr("hidden_size", of.getI64IntegerAttr(static_cast<int64_t>(op.getHidden())))};
}

constexpr llvm::StringLiteral otherActivations =
    "the host supports only the default activation functions, without clipping";

Lowered lstm(graph::LstmOp op, LayerBuilder &to) {
  if (!isPlain(op, {"Sigmoid", "Tanh", "Tanh"}))
    return noLayer(otherActivations.str());
  auto parameters = recurrentParameters(op, to.ops());
  parameters.push_back(
      to.ops().getNamedAttr("input_forget", to.ops().getI64IntegerAttr(op.getInputForget() ? 1 : 0)));
  return recurrentOnHost(op, "LSTM", parameters,
                         {op.getInput(), op.getWeights(), op.getRecurrence(), op.getBias(), op.getLengths(),
                          op.getInitialState(), op.getInitialCell(), op.getPeepholes()},
                         to);
}

template <class Op>
Lowered recurrent(Op op, llvm::StringRef kernel, llvm::ArrayRef<llvm::StringRef> activations,
                  llvm::ArrayRef<mlir::NamedAttribute> more, LayerBuilder &to) {
  if (!isPlain(op, activations))
    return noLayer(otherActivations.str());
  auto parameters = recurrentParameters(op, to.ops());
  parameters.append(more.begin(), more.end());
  return recurrentOnHost(op, kernel, parameters,
                         {op.getInput(), op.getWeights(), op.getRecurrence(), op.getBias(), op.getLengths(),
                          op.getInitialState()},
                         to);
}

mlir::NamedAttribute integer(llvm::StringRef name, uint64_t value, mlir::Builder &of) {
  return of.getNamedAttr(name, of.getI64IntegerAttr(static_cast<int64_t>(value)));
}

// Lowers a scatter operator. The host's scatter kernels can reduce only C++ number types, not 16-bit floats
// or booleans.
template <class Op>
Lowered scatter(Op op, llvm::StringRef kernel, llvm::SmallVector<mlir::NamedAttribute> parameters,
                LayerBuilder &to) {
  const mlir::Type element = graph::tensorType(op.getResult()).getElementType();
  if (op.getReduction() != graph::ScatterReduction::none &&
      (element.isF16() || element.isBF16() || element.isInteger(1)))
    return noLayer("the host does not support scatter reductions of 16-bit floats or bools");
  parameters.push_back(to.ops().getNamedAttr(
      "reduction", to.ops().getStringAttr(stringifyScatterReduction(op.getReduction()))));
  return onHost(op, kernel, parameters, llvm::to_vector(op->getOperands()), to);
}

// Lowers an operator whose result has a data-dependent length: the result becomes a tensor of the greatest
// possible length, `reserved`, filled up with -1. Only the user can interpret such a tensor, so it must be an
// output of the model.
Lowered withReservedShape(graph::OpaqueOp op, Sizes reserved, mlir::ArrayRef<mlir::NamedAttribute> parameters,
                          llvm::ArrayRef<mlir::Value> operands, LayerBuilder &to) {
  for (mlir::Operation *user : op.getResult(0).getUsers())
    if (!user->hasTrait<mlir::OpTrait::IsTerminator>())
      return noLayer(
          "the length of its result depends on the data, which is supported only for outputs of the model");
  if (mlir::ShapedType::getNumElements(reserved) == 0)
    return noLayer("its result is always empty, which is not supported");
  const mlir::Type type = mlir::RankedTensorType::get(reserved, to.ops().getI64Type());
  return onHost(type, op.getNodeType(), parameters, operands, to);
}

// The inputs of the ONNX node by position; null for optional inputs that are absent.
llvm::SmallVector<mlir::Value> inputsOf(graph::OpaqueOp op) {
  llvm::SmallVector<mlir::Value> inputs;
  size_t next = 0;
  for (const bool isPresent : op.getPresent())
    inputs.push_back(isPresent ? op.getInputs()[next++] : mlir::Value());
  return inputs;
}

// Lowers NonMaxSuppression. Its limits must be constant, because the greatest number of selected boxes
// follows from them.
Lowered nonMaxSuppression(graph::OpaqueOp op, LayerBuilder &to) {
  const auto inputs = inputsOf(op);
  llvm::SmallVector<mlir::NamedAttribute> parameters = llvm::to_vector(op.getNodeAttributes());
  int64_t most = 0;
  for (size_t i = 2; i < inputs.size(); ++i) {
    if (!inputs[i])
      continue;
    const std::optional<Tensor> limit = elementsOf(inputs[i]);
    if (!limit || limit->elementCount() != 1)
      return noLayer(
          "its limits must be constants with one element, so that the number of selected boxes is bounded");
    if (i == 2) {
      most = limit->as<int64_t>()[0];
      parameters.push_back(integer("max_output_boxes_per_class", static_cast<uint64_t>(most), to.ops()));
    } else {
      parameters.push_back(to.ops().getNamedAttr(i == 3 ? "iou_threshold" : "score_threshold",
                                                 to.ops().getF32FloatAttr(limit->as<float>()[0])));
    }
  }
  const Sizes scores = graph::shapeOf(inputs[1]);
  const int64_t mostBoxes = scores[0] * scores[1] * std::clamp<int64_t>(most, 0, scores[2]);
  return withReservedShape(op, {mostBoxes, 3}, parameters, llvm::ArrayRef(inputs).take_front(2), to);
}

Lowered nonZero(graph::OpaqueOp op, LayerBuilder &to) {
  const Sizes shape = graph::shapeOf(op.getInputs()[0]);
  return withReservedShape(op, {static_cast<int64_t>(shape.size()), mlir::ShapedType::getNumElements(shape)},
                           {}, inputsOf(op), to);
}

// Whether one of the limits of NonMaxSuppression (its inputs after boxes and scores) has several elements.
bool hasLimitOfSeveral(graph::OpaqueOp op) {
  return op.getNodeType() == "NonMaxSuppression" &&
         llvm::any_of(llvm::drop_begin(inputsOf(op), 2), [](mlir::Value limit) {
           return limit && graph::tensorType(limit).hasStaticShape() &&
                  graph::tensorType(limit).getNumElements() != 1;
         });
}

Lowered opaque(graph::OpaqueOp op, LayerBuilder &to) {
  const HostSignature *signature = findHostSignature(op.getNodeType());
  if (!op.getDomain().empty() || !signature || signature->isResolved)
    return noLayer("neither the accelerator nor the host supports " + op.getNodeType().str());
  const auto inputs = inputsOf(op);
  if (const Status checked = checkKernel(op->getResultTypes(), op.getNodeType(), inputs); !checked)
    return noLayer(checked.error().message());
  if (hasLimitOfSeveral(op))
    return noLayer("each limit must have one element");
  // Lowers operators whose result has a data-dependent length: if the model declares a fixed length, the
  // result gets a tensor of that length, and the operator is lowered like all others.
  const bool isOpen = llvm::any_of(
      op.getResults(), [](mlir::Value result) { return !graph::tensorType(result).hasStaticShape(); });
  if (isOpen && op.getNodeType() == "NonMaxSuppression")
    return nonMaxSuppression(op, to);
  if (isOpen && op.getNodeType() == "NonZero")
    return nonZero(op, to);
  if (isOpen)
    return noLayer("the length of its result depends on the data, which is not supported");
  return onHost(op, op.getNodeType(), llvm::to_vector(op.getNodeAttributes()), inputs, to);
}

} // namespace

std::optional<Lowered> lowerOnHost(mlir::Operation *operation, LayerBuilder &to) {
  using Found = std::optional<Lowered>;
  mlir::Builder &of = to.ops();
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case([&](graph::OpaqueOp op) -> Found { return opaque(op, to); })
      .Case([&](graph::TopKOp op) -> Found { return topK(op, to); })
      .Case([&](graph::LstmOp op) -> Found { return lstm(op, to); })
      .Case([&](graph::GruOp op) -> Found {
        const int64_t before = op.getLinearBeforeReset() ? 1 : 0;
        return recurrent(op, "GRU", {"Sigmoid", "Tanh"},
                         {of.getNamedAttr("linear_before_reset", of.getI64IntegerAttr(before))}, to);
      })
      .Case([&](graph::RnnOp op) -> Found { return recurrent(op, "RNN", {"Tanh"}, {}, to); })
      .Case<graph::BitwiseAndOp, graph::BitwiseOrOp, graph::BitwiseXorOp, graph::BitwiseNotOp>(
          [&](auto op) -> Found {
            return onHost(op, decltype(op)::onnxType, {}, llvm::to_vector(op->getOperands()), to);
          })
      .Case([&](graph::BitShiftOp op) -> Found {
        return onHost(op, "BitShift",
                      {of.getNamedAttr("direction", of.getStringAttr(op.getLeft() ? "LEFT" : "RIGHT"))},
                      llvm::to_vector(op->getOperands()), to);
      })
      .Case([&](graph::GatherElementsOp op) -> Found {
        return onHost(op, "GatherElements", {integer("axis", op.getAxis(), of)},
                      llvm::to_vector(op->getOperands()), to);
      })
      .Case([&](graph::GatherNDOp op) -> Found {
        return onHost(op, "GatherND", {integer("batch_dims", op.getBatchDims(), of)},
                      llvm::to_vector(op->getOperands()), to);
      })
      .Case([&](graph::ScatterElementsOp op) -> Found {
        return scatter(op, "ScatterElements", {integer("axis", op.getAxis(), of)}, to);
      })
      .Case([&](graph::ScatterNDOp op) -> Found { return scatter(op, "ScatterND", {}, to); })
      .Case([&](graph::ReverseSequenceOp op) -> Found {
        return onHost(
            op, "ReverseSequence",
            {integer("time_axis", op.getTimeAxis(), of), integer("batch_axis", op.getBatchAxis(), of)},
            llvm::to_vector(op->getOperands()), to);
      })
      .Default([](mlir::Operation *) { return Found(); });
}

} // namespace tilerig::compiler
