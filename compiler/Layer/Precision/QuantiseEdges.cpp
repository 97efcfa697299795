#include "compiler/Layer/Precision/QuantiseEdges.h"

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/IR/DequantisedOutput.h"
#include "compiler/Layer/IR/Types.h"

#include <fmt/core.h>
#include <numeric>

namespace tilerig::compiler {

namespace {

using layer::elementOf;
using PerTensor = mlir::quant::UniformQuantizedType;

// The quantised type that represents the same reals as `type`, but stores them as `wanted` (int8 or uint8).
mlir::Type storedIn(QuantisedType wanted, PerTensor type) {
  const bool isSigned = wanted == QuantisedType::int8;
  if (type.isSigned() == isSigned)
    return type;
  const int64_t shift = isSigned ? -128 : 128;
  return PerTensor::get(isSigned ? mlir::quant::QuantizationFlags::Signed : 0, type.getStorageType(),
                        type.getExpressedType(), type.getScale(), type.getZeroPoint() + shift,
                        type.getStorageTypeMin() + shift, type.getStorageTypeMax() + shift);
}

mlir::RankedTensorType withElement(mlir::Value value, mlir::Type element) {
  return mlir::RankedTensorType::get(graph::shapeOf(value), element);
}

bool isConversion(mlir::Operation *operation) {
  auto activate = llvm::dyn_cast_or_null<layer::ActivateOp>(operation);
  return activate && !activate.getFunction();
}

std::string nameOf(mlir::StringAttr name, const char *kind, unsigned index) {
  return fmt::format("{} '{}'", kind, name ? name.str() : std::to_string(index));
}

Status notQuantised(const std::string &name, const char *why) {
  return unsupported(name, why, "keep this input or output a float, or compute its layers in 8 bits");
}

Status quantiseInput(mlir::BlockArgument input, const std::string &name, QuantisedType wanted) {
  PerTensor type;
  for (mlir::Operation *reader : input.getUsers()) {
    const auto its =
        isConversion(reader) ? llvm::dyn_cast<PerTensor>(elementOf(reader->getResult(0))) : PerTensor();
    if (!its || (type && its != type))
      return notQuantised(name, "the layers that read the input do not read 8-bit integers with one scale");
    type = its;
  }
  if (!type)
    return success();
  const mlir::Type stored = storedIn(wanted, type);
  input.setType(withElement(input, stored));
  for (mlir::Operation *reader : llvm::make_early_inc_range(input.getUsers()))
    if (stored == type) {
      reader->getResult(0).replaceAllUsesWith(input);
      reader->erase();
    }
  return success();
}

Status quantiseOutput(mlir::OpOperand &output, const std::string &name, QuantisedType wanted) {
  mlir::Operation *maker = output.get().getDefiningOp();
  const auto type =
      isConversion(maker) ? llvm::dyn_cast<PerTensor>(elementOf(maker->getOperand(0))) : PerTensor();
  if (!type)
    return notQuantised(name,
                        "the layer that computes the output does not compute 8-bit integers with one scale");
  const mlir::Type stored = storedIn(wanted, type);
  mlir::Value integers = maker->getOperand(0);
  if (stored != type) {
    mlir::OpBuilder builder(maker);
    integers = layer::ActivateOp::create(builder, maker->getLoc(), withElement(integers, stored), integers,
                                         layer::FunctionAttr());
  }
  output.set(integers);
  if (maker->use_empty())
    maker->erase();
  return success();
}

// Lets an output that the last layers compute in 8 bits leave the device as 8-bit integers: erases the
// conversion to float32 and the reshapes and transposes in front of that conversion. The host does their work
// when it reads the output (DequantisedOutput.h). The device then stores one byte per element instead of
// four.
void leaveToHost(mlir::func::FuncOp function, mlir::OpOperand &output) {
  mlir::Operation *conversion = output.get().getDefiningOp();
  if (!isConversion(conversion) || !elementOf(output.get()).isF32() || !output.get().hasOneUse() ||
      !llvm::isa<PerTensor>(elementOf(conversion->getOperand(0))))
    return;
  std::vector<mlir::Operation *> erased = {conversion};
  mlir::Value stored = conversion->getOperand(0);
  const auto skip = [&](mlir::Operation *operation) {
    erased.push_back(operation);
    stored = operation->getOperand(0);
  };
  layer::DequantisedOutput dequantised;
  dequantised.order.resize(graph::shapeOf(stored).size());
  std::iota(dequantised.order.begin(), dequantised.order.end(), 0);
  for (; stored.hasOneUse() && stored.getDefiningOp<layer::TransposeOp>(); skip(stored.getDefiningOp()))
    for (int64_t &axis : dequantised.order)
      axis = stored.getDefiningOp<layer::TransposeOp>().getPerm()[static_cast<size_t>(axis)];
  dequantised.shape = llvm::to_vector(graph::shapeOf(stored));
  while (stored.hasOneUse() && stored.getDefiningOp<layer::ReshapeOp>())
    skip(stored.getDefiningOp());
  mlir::Operation *maker = stored.getDefiningOp();
  const bool isReturned = llvm::any_of(
      stored.getUsers(), [](mlir::Operation *user) { return llvm::isa<mlir::func::ReturnOp>(user); });
  if (!maker || llvm::isa<layer::ConstantOp, layer::HostOp>(maker) || isReturned)
    return;
  output.set(stored);
  layer::setDequantisedOutput(function, output.getOperandNumber(), dequantised);
  for (mlir::Operation *operation : erased)
    operation->erase();
}

} // namespace

Status quantiseEdges(mlir::func::FuncOp function, const QuantisedEdges &edges) {
  mlir::Block &body = function.getBody().front();
  const auto isFloat = [](mlir::Value value) { return layer::isFloatForInstructions(elementOf(value)); };
  for (mlir::BlockArgument input : body.getArguments()) {
    const unsigned index = input.getArgNumber();
    if (edges.inputs && isFloat(input))
      TILERIG_CHECK_OK(quantiseInput(
          input, nameOf(function.getArgAttrOfType<mlir::StringAttr>(index, nameAttribute), "input", index),
          *edges.inputs));
  }
  for (mlir::OpOperand &output : body.getTerminator()->getOpOperands()) {
    const unsigned index = output.getOperandNumber();
    if (edges.outputs && isFloat(output.get()))
      TILERIG_CHECK_OK(quantiseOutput(
          output,
          nameOf(function.getResultAttrOfType<mlir::StringAttr>(index, nameAttribute), "output", index),
          *edges.outputs));
    if (!edges.outputs)
      leaveToHost(function, output);
  }
  function.setType(mlir::FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                           body.getTerminator()->getOperandTypes()));
  return success();
}

} // namespace tilerig::compiler
