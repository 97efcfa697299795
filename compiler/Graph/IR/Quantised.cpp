// Verification and shape inference for the operations of Quantised.td.
#include "compiler/Graph/IR/Shapes.h"

namespace tilerig::compiler::graph {

namespace {

int64_t elementsOf(mlir::Value value) { return tensorType(value).getNumElements(); }
mlir::Type elementOf(mlir::Value value) { return tensorType(value).getElementType(); }

// Whether a scale or zero point is a single element for the whole tensor.
bool isSingle(mlir::Value parameter) { return shapeOf(parameter).size() <= 1 && elementsOf(parameter) == 1; }

// The shape that the scales of a tensor must have, unless a single scale applies to the whole tensor.
Dims scaleShape(llvm::ArrayRef<int64_t> input, int64_t axis, int64_t block) {
  if (block == 0)
    return {input[axis]};
  Dims shape(input);
  shape[axis] = input[axis] / block + (input[axis] % block != 0);
  return shape;
}

// Verifies a conversion between quantised integers (`stored`) and reals (`real`); one is the operand, the
// other the result.
template <class Op>
llvm::LogicalResult verifyQuantisation(Op op, mlir::Value stored, mlir::Value real) {
  const auto input = shapeOf(op.getInput());
  const auto axis = static_cast<int64_t>(op.getAxis()), block = static_cast<int64_t>(op.getBlockSize());
  if (input != shapeOf(op.getOutput()))
    return op.emitOpError() << "the input has shape " << text(input) << ", but the result has shape "
                            << text(shapeOf(op.getOutput()));
  if (elementOf(op.getScale()) != elementOf(real) && !elementOf(real).isInteger(32))
    return op.emitOpError() << "the scale has type " << elementOf(op.getScale())
                            << ", but the real values have type " << elementOf(real);
  if (const mlir::Value zero = op.getZeroPoint(); zero && elementOf(zero) != elementOf(stored))
    return op.emitOpError() << "the zero point has type " << elementOf(zero)
                            << ", but the quantised values have type " << elementOf(stored);
  if (const mlir::Value zero = op.getZeroPoint(); zero && elementsOf(zero) != elementsOf(op.getScale()))
    return op.emitOpError() << "the zero point has shape " << text(shapeOf(zero))
                            << ", but the scale has shape " << text(shapeOf(op.getScale()));
  if (block == 0 && isSingle(op.getScale()))
    return llvm::success();
  if (axis < 0 || axis >= static_cast<int64_t>(input.size()) || block < 0)
    return op.emitOpError() << "axis " << axis << " or block size " << block << " is invalid for shape "
                            << text(input);
  if (shapeOf(op.getScale()) != llvm::ArrayRef(scaleShape(input, axis, block)))
    return op.emitOpError() << "scale of shape " << text(shapeOf(op.getScale())) << " does not fit axis "
                            << axis << " of shape " << text(input);
  return llvm::success();
}

// Checks scale and zero point of an operand: single elements, or vectors with `count` elements.
llvm::LogicalResult checkParameters(mlir::Value operand, mlir::Value scale, mlir::Value zero, int64_t count,
                                    Complaint complain) {
  for (const mlir::Value parameter : {scale, zero})
    if (parameter && elementsOf(parameter) != 1 && shapeOf(parameter) != llvm::ArrayRef<int64_t>{count})
      return complain("scale or zero point has shape ", text(shapeOf(parameter)),
                      ", expected one element or ", count, " for an operand of shape ",
                      text(shapeOf(operand)));
  if (zero && elementOf(zero) != elementOf(operand))
    return complain("the zero point has type ", elementOf(zero), ", but the quantised values have type ",
                    elementOf(operand));
  return llvm::success();
}

// Number of rows of the left matrix of a product, and of columns of the right one; 1 for vectors.
int64_t rowsOf(mlir::Value a) { return shapeOf(a).size() < 2 ? 1 : shapeOf(a).end()[-2]; }
int64_t columnsOf(mlir::Value b) { return shapeOf(b).size() < 2 ? 1 : shapeOf(b).back(); }

template <class Op>
llvm::LogicalResult verifyResult(Op op, const Dims &shape, Complaint complain) {
  if (shapeOf(op.getOutput()) != llvm::ArrayRef(shape) ||
      elementOf(op.getOutput()) != elementOf(op.getOutputZeroPoint()))
    return complain("the result has type ", op.getOutput().getType(), ", expected shape ", text(shape),
                    " of ", elementOf(op.getOutputZeroPoint()));
  return checkParameters(op.getOutput(), op.getOutputScale(), op.getOutputZeroPoint(), 1, complain);
}

} // namespace

llvm::LogicalResult QuantizeLinearOp::verify() { return verifyQuantisation(*this, getOutput(), getInput()); }
llvm::LogicalResult DequantizeLinearOp::verify() {
  return verifyQuantisation(*this, getInput(), getOutput());
}

llvm::LogicalResult DynamicQuantizeLinearOp::inferReturnTypes(mlir::MLIRContext *context,
                                                              std::optional<mlir::Location>, Adaptor adaptor,
                                                              Types &types) {
  const mlir::Type byte = mlir::IntegerType::get(context, 8, mlir::IntegerType::Unsigned);
  types.push_back(mlir::RankedTensorType::get(shapeOf(adaptor.getInput()), byte));
  types.push_back(mlir::RankedTensorType::get({}, elementOf(adaptor.getInput())));
  types.push_back(mlir::RankedTensorType::get({}, byte));
  return llvm::success();
}

llvm::LogicalResult QLinearConvOp::verify() {
  const Complaint complain{getLoc()};
  const auto shape =
      convolved(imageShape(getInput(), getChannelsLast()), shapeOf(getWeights()), getBias(),
                static_cast<int64_t>(getGroups()), getStrides(), getDilations(), getPads(), complain);
  if (!shape ||
      llvm::failed(checkParameters(getInput(), getInputScale(), getInputZeroPoint(), 1, complain)) ||
      llvm::failed(checkParameters(getWeights(), getWeightScale(), getWeightZeroPoint(),
                                   shapeOf(getWeights())[0], complain)))
    return llvm::failure();
  return verifyResult(*this, placedShape(*shape, getChannelsLast()), complain);
}

llvm::LogicalResult QLinearMatMulOp::verify() {
  const Complaint complain{getLoc()};
  const auto shape = multiplied(shapeOf(getA()), shapeOf(getB()), complain);
  if (!shape ||
      llvm::failed(checkParameters(getA(), getAScale(), getAZeroPoint(), rowsOf(getA()), complain)) ||
      llvm::failed(checkParameters(getB(), getBScale(), getBZeroPoint(), columnsOf(getB()), complain)))
    return llvm::failure();
  return verifyResult(*this, *shape, complain);
}

llvm::LogicalResult ConvIntegerOp::inferReturnTypes(mlir::MLIRContext *context,
                                                    std::optional<mlir::Location> location, Adaptor adaptor,
                                                    Types &types) {
  const Complaint complain{location};
  const auto shape = convolved(imageShape(adaptor.getInput(), adaptor.getChannelsLast()),
                               shapeOf(adaptor.getWeights()), {}, static_cast<int64_t>(adaptor.getGroups()),
                               adaptor.getStrides(), adaptor.getDilations(), adaptor.getPads(), complain);
  if (!shape ||
      llvm::failed(checkParameters(adaptor.getInput(), {}, adaptor.getInputZeroPoint(), 1, complain)) ||
      llvm::failed(checkParameters(adaptor.getWeights(), {}, adaptor.getWeightZeroPoint(),
                                   shapeOf(adaptor.getWeights())[0], complain)))
    return llvm::failure();
  types.push_back(mlir::RankedTensorType::get(placedShape(*shape, adaptor.getChannelsLast()),
                                              mlir::IntegerType::get(context, 32)));
  return llvm::success();
}

llvm::LogicalResult MatMulIntegerOp::inferReturnTypes(mlir::MLIRContext *context,
                                                      std::optional<mlir::Location> location, Adaptor adaptor,
                                                      Types &types) {
  const Complaint complain{location};
  const auto shape = multiplied(shapeOf(adaptor.getA()), shapeOf(adaptor.getB()), complain);
  if (!shape ||
      llvm::failed(
          checkParameters(adaptor.getA(), {}, adaptor.getAZeroPoint(), rowsOf(adaptor.getA()), complain)) ||
      llvm::failed(
          checkParameters(adaptor.getB(), {}, adaptor.getBZeroPoint(), columnsOf(adaptor.getB()), complain)))
    return llvm::failure();
  types.push_back(mlir::RankedTensorType::get(*shape, mlir::IntegerType::get(context, 32)));
  return llvm::success();
}

} // namespace tilerig::compiler::graph
