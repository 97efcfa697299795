#include "compiler/Graph/Transforms/Weights.h"

#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Transforms/Fusion.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

using namespace graph;

namespace {

size_t channelAxis(mlir::Value image, bool channelsLast) {
  return channelsLast ? shapeOf(image).size() - 1 : 1;
}

} // namespace

std::optional<Weighted> Weighted::of(mlir::Operation *operation) {
  if (!operation)
    return {};
  return llvm::TypeSwitch<mlir::Operation *, std::optional<Weighted>>(operation)
      .Case([](ConvOp op) { return Weighted(op, true, op.getGroups()); })
      .Case([](ConvTransposeOp op) { return Weighted(op, false, op.getGroups()); })
      .Case([](GemmOp op) { return Weighted(op, op.getTransB(), 1); })
      .Case([](MatMulOp op) {
        const bool hasRows = shapeOf(op.getA()).size() >= 2 && shapeOf(op.getB()).size() == 2;
        return hasRows ? std::optional(Weighted(op, false, 1)) : std::nullopt;
      })
      .Default([](mlir::Operation *) { return std::nullopt; });
}

Weighted::Weighted(mlir::Operation *operation, bool hasOutputsFirst, size_t groups)
    : op(operation), outputsFirst(hasOutputsFirst), groups(groups), kernel(1) {
  const auto shape = shapeOf(op->getOperand(1));
  const size_t whole = static_cast<size_t>(shape[0]), ofGroup = static_cast<size_t>(shape[1]);
  numOutputs = outputsFirst ? whole : ofGroup * groups;
  numInputs = outputsFirst ? ofGroup * groups : whole;
  for (int64_t size : shape.drop_front(2))
    kernel *= static_cast<size_t>(size);
}

size_t Weighted::inputAxis() const {
  return llvm::TypeSwitch<mlir::Operation *, size_t>(op)
      .Case<ConvOp, ConvTransposeOp>(
          [](auto convolution) { return channelAxis(convolution.getInput(), convolution.getChannelsLast()); })
      .Case([](GemmOp gemm) { return gemm.getTransA() ? 0 : 1; })
      .Default([](mlir::Operation *operation) { return shapeOf(operation->getOperand(0)).size() - 1; });
}

size_t Weighted::outputAxis() const {
  return llvm::TypeSwitch<mlir::Operation *, size_t>(op)
      .Case<ConvOp, ConvTransposeOp>([](auto convolution) {
        return channelAxis(convolution.getOutput(), convolution.getChannelsLast());
      })
      .Default([](mlir::Operation *operation) { return shapeOf(operation->getResult(0)).size() - 1; });
}

bool Weighted::isUniform() const {
  if (auto conv = llvm::dyn_cast<ConvOp>(op))
    return llvm::all_of(conv.getPads(), [](int64_t pad) { return pad == 0; });
  return !llvm::isa<ConvTransposeOp>(op);
}

double Weighted::factor() const {
  auto gemm = llvm::dyn_cast<GemmOp>(op);
  return gemm ? gemm.getAlpha().convertToDouble() : 1;
}

std::optional<Doubles> Weighted::bias() const {
  if (op->getNumOperands() < 3)
    return Doubles(numOutputs, 0);
  auto gemm = llvm::dyn_cast<GemmOp>(op);
  if (!gemm)
    return doublesOf(op->getOperand(2));
  auto values = alongAxis(gemm.getC(), shapeOf(gemm.getOutput()), 1);
  if (values)
    for (double &value : *values)
      value *= gemm.getBeta().convertToDouble();
  return values;
}

// Weights have one of two axis orders: all output channels, then the input channels of one group, then the
// kernel; or all input channels, then the output channels of one group, then the kernel. So the index along
// the first axis tells which group a weight belongs to.
size_t Weighted::inputOf(size_t element) const {
  const size_t ofGroup = (outputsFirst ? numInputs : numOutputs) / groups;
  const size_t whole = element / (ofGroup * kernel), part = element / kernel % ofGroup;
  return outputsFirst ? whole / (numOutputs / groups) * ofGroup + part : whole;
}

size_t Weighted::outputOf(size_t element) const {
  const size_t ofGroup = (outputsFirst ? numInputs : numOutputs) / groups;
  const size_t whole = element / (ofGroup * kernel), part = element / kernel % ofGroup;
  return outputsFirst ? whole : whole / (numInputs / groups) * ofGroup + part;
}

std::optional<Weighted> Weighted::with(mlir::PatternRewriter &rewriter, const std::optional<Doubles> &weights,
                                       const std::optional<Doubles> &bias, mlir::Location location) const {
  const mlir::Value before = op->getOperand(1);
  const mlir::Type element = tensorType(before).getElementType();
  if ((weights && !isFiniteAs(element, *weights)) || (bias && !isFiniteAs(element, *bias)))
    return {};
  auto product = llvm::dyn_cast<MatMulOp>(op);
  if (product && bias && shapeOf(product.getA()).size() != 2)
    return {};
  const mlir::OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  mlir::Value newWeights = before, newBias;
  if (weights)
    newWeights = constantOf(rewriter, before.getLoc(), *weights, element, shapeOf(before), "folded_weights");
  if (bias)
    newBias =
        constantOf(rewriter, op->getNumOperands() > 2 ? op->getOperand(2).getLoc() : partLocation(op, "bias"),
                   *bias, element, {static_cast<int64_t>(numOutputs)}, "folded_bias");
  if (product && bias) {
    const llvm::APFloat one(1.0f);
    auto gemm = rewriter.replaceOpWithNewOp<GemmOp>(product, product.getType(), product.getA(), newWeights,
                                                    newBias, one, one, false, false);
    gemm->setLoc(location);
    return Weighted(gemm, false, 1);
  }
  rewriter.modifyOpInPlace(op, [&] {
    llvm::SmallVector<mlir::Value> operands{op->getOperand(0), newWeights};
    if (newBias)
      operands.push_back(newBias);
    else if (op->getNumOperands() > 2)
      operands.push_back(op->getOperand(2));
    op->setOperands(operands);
    op->setLoc(location);
    if (auto gemm = llvm::dyn_cast<GemmOp>(op); gemm && newBias)
      gemm.setBeta(llvm::APFloat(1.0f));
  });
  return *this;
}

bool Weighted::reorder(mlir::PatternRewriter &rewriter, llvm::function_ref<size_t(size_t)> placeOf) const {
  auto constant = op->getOperand(1).getDefiningOp<ConstantOp>();
  if (!constant)
    return false;
  const Tensor before = tensorOf(constant.getValue());
  Tensor after(before.dtype(), before.shape());
  dispatch(before.dtype(), [&]<class T>() {
    const auto from = before.as<T>();
    const auto to = after.mutableAs<T>();
    for (size_t i = 0; i < from.size(); ++i)
      to[placeOf(i)] = from[i];
  });
  const mlir::OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  const mlir::Value foldedConstant = ConstantOp::create(
      rewriter, constant.getLoc(), attributeOf(*rewriter.getContext(), after, "folded_weights"));
  rewriter.modifyOpInPlace(op, [&] { op->setOperand(1, foldedConstant); });
  return true;
}

std::optional<Doubles> alongAxis(mlir::Value constant, llvm::ArrayRef<int64_t> shape, size_t axis) {
  auto values = doublesOf(constant);
  if (!values || values->empty() || shapeOf(constant).size() > shape.size())
    return {};
  const auto own = shapeOf(constant);
  const size_t before = shape.size() - own.size();
  for (size_t i = 0; i < own.size(); ++i)
    if (own[i] != 1 && (before + i != axis || own[i] != shape[axis]))
      return {};
  if (values->size() == 1)
    values->resize(static_cast<size_t>(shape[axis]), values->front());
  return values;
}

} // namespace tilerig::compiler
