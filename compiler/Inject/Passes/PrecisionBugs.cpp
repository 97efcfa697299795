// Bugs for injection into the pass decide-precision: it gives tensors wrong scales or zero points.
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Inject/Passes/Edit.h"
#include "compiler/Layer/IR/Types.h"

#include <cmath>

namespace tilerig::compiler {

namespace {

using PerTensor = mlir::quant::UniformQuantizedType;

// The quantised type of a tensor that is not a constant, if the type has a single scale; else null.
PerTensor typeOf(mlir::Value value) {
  mlir::Operation *const operation = value.getDefiningOp();
  return operation && !operation->hasTrait<mlir::OpTrait::ConstantLike>()
             ? llvm::dyn_cast<PerTensor>(layer::elementOf(value))
             : PerTensor();
}
double widthOf(PerTensor type) {
  return static_cast<double>(type.getStorageTypeMax() - type.getStorageTypeMin()) * type.getScale();
}
PerTensor withParameters(PerTensor type, double scale, int64_t zeroPoint) {
  return PerTensor::get(type.getFlags(), type.getStorageType(), type.getExpressedType(), scale, zeroPoint,
                        type.getStorageTypeMin(), type.getStorageTypeMax());
}

// The constant bias of an integer convolution or matrix product; null if there is none.
mlir::OpOperand *biasOf(mlir::Operation *operation) {
  mlir::OpOperand *bias = nullptr;
  if (auto conv = llvm::dyn_cast<layer::ConvOp>(operation); conv && conv.getBias())
    bias = conv.getBiasMutable().begin();
  else if (auto product = llvm::dyn_cast<layer::MatMulOp>(operation); product && product.getBias())
    bias = product.getBiasMutable().begin();
  const bool isConstant = bias && bias->get().getDefiningOp<layer::ConstantOp>();
  return isConstant && layer::elementOf(bias->get()).isInteger(32) ? bias : nullptr;
}

// Replaces a constant bias by the bias times `factor`, rounded. Returns whether any element changes.
bool scaleBias(mlir::OpOperand &bias, double factor) {
  bool hasChanged = false;
  setConstant(bias, [&](const Tensor &old) {
    Tensor scaled(DType::i32, old.shape());
    const auto to = scaled.mutableAs<int32_t>();
    for (size_t i = 0; i < to.size(); ++i) {
      const double wanted = std::nearbyint(old.as<int32_t>()[i] * factor);
      to[i] = static_cast<int32_t>(std::clamp<double>(wanted, INT32_MIN, INT32_MAX));
      hasChanged |= to[i] != old.as<int32_t>()[i];
    }
    return scaled;
  });
  return hasChanged;
}

// Changes the quantised type of a tensor and of all tensors that have to share the type. Also rescales the
// integer biases of the products that read these tensors, as the pass decide-precision would have done with
// the changed type.
void retype(mlir::Value value, PerTensor type) {
  const PerTensor old = typeOf(value);
  if (!old || old == type)
    return;
  value.setType(mlir::RankedTensorType::get(graph::shapeOf(value), type));
  if (layer::keepsStoredType(value.getDefiningOp()))
    retype(value.getDefiningOp()->getOperand(0), type);
  for (mlir::OpOperand &use : value.getUses())
    if (layer::keepsStoredType(use.getOwner()) && use.getOperandNumber() == 0)
      retype(use.getOwner()->getResult(0), type);
    else if (mlir::OpOperand *const bias = biasOf(use.getOwner()); bias && use.getOperandNumber() == 0)
      scaleBias(*bias, old.getScale() / type.getScale());
}

// Whether a tensor's quantised type can be changed. It cannot if a concatenation, or an input or output of
// the function, has to have the same type.
bool isFree(mlir::Value value) {
  mlir::Operation *const operation = value.getDefiningOp();
  if (llvm::isa<layer::ConcatOp>(operation) ||
      (layer::keepsStoredType(operation) && !operation->getOperand(0).getDefiningOp()))
    return false;
  if (layer::keepsStoredType(operation) &&
      !(typeOf(operation->getOperand(0)) && isFree(operation->getOperand(0))))
    return false;
  return llvm::none_of(value.getUsers(), [](mlir::Operation *user) {
    return llvm::isa<layer::ConcatOp, mlir::func::ReturnOp>(user);
  });
}

mlir::Operation *findTyped(const RewriteView &rewrite,
                           llvm::function_ref<bool(mlir::Value, PerTensor)> holds) {
  for (mlir::Operation *operation : rewrite.changed)
    if (operation->getNumResults() == 1)
      if (const PerTensor type = typeOf(operation->getResult(0));
          type && isFree(operation->getResult(0)) && holds(operation->getResult(0), type))
        return operation;
  return nullptr;
}

// The quantised type of the first operand of the operation that computes `value`, if this type represents a
// clearly different range of real numbers than `type`.
PerTensor neighbourOf(mlir::Value value, PerTensor type) {
  const PerTensor other = typeOf(value.getDefiningOp()->getOperand(0));
  const bool isUsable = other && other.getStorageType() == type.getStorageType() &&
                        std::abs(std::log2(widthOf(other) / widthOf(type))) > 0.2;
  return isUsable ? other : PerTensor();
}
mlir::Operation *findNeighbour(const RewriteView &rewrite) {
  return findTyped(rewrite, [](mlir::Value value, PerTensor type) {
    return !layer::keepsStoredType(value.getDefiningOp()) && neighbourOf(value, type);
  });
}
Status injectNeighbour(const RewriteView &, mlir::Operation *found, BugDraw &) {
  const mlir::Value value = found->getResult(0);
  retype(value, neighbourOf(value, typeOf(value)));
  return success();
}

// The zero point that results if the formula for it has the lower end of the tensor's range with the wrong
// sign.
int64_t negatedZeroPoint(PerTensor type) {
  const int64_t low = type.getStorageTypeMin();
  return std::clamp(2 * low - type.getZeroPoint(), low, type.getStorageTypeMax());
}
mlir::Operation *findZeroPoint(const RewriteView &rewrite) {
  return findTyped(rewrite, [](mlir::Value value, PerTensor type) {
    return !layer::keepsStoredType(value.getDefiningOp()) && type.getZeroPoint() - negatedZeroPoint(type) > 8;
  });
}
Status injectZeroPoint(const RewriteView &, mlir::Operation *found, BugDraw &) {
  const mlir::Value value = found->getResult(0);
  const PerTensor type = typeOf(value);
  retype(value, withParameters(type, type.getScale(), negatedZeroPoint(type)));
  return success();
}

// Among the quantised types in the function that have the same storage type as the type `like`, returns the
// one that represents the widest range of real numbers.
PerTensor widestType(mlir::func::FuncOp function, PerTensor like) {
  PerTensor widest = like;
  for (mlir::Operation &operation : function.getBody().front().without_terminator())
    for (const mlir::Value result : operation.getResults())
      if (const PerTensor type = typeOf(result);
          type && type.getStorageType() == like.getStorageType() && widthOf(type) > widthOf(widest))
        widest = type;
  return widest;
}
mlir::Operation *findNarrow(const RewriteView &rewrite) {
  mlir::func::FuncOp function = rewrite.function;
  return findTyped(rewrite, [&](mlir::Value value, PerTensor type) {
    return !layer::keepsStoredType(value.getDefiningOp()) &&
           widthOf(widestType(function, type)) > 1.5 * widthOf(type);
  });
}
Status injectShared(const RewriteView &rewrite, mlir::Operation *found, BugDraw &) {
  const mlir::Value value = found->getResult(0);
  retype(value, widestType(rewrite.function, typeOf(value)));
  return success();
}

mlir::Operation *findBias(const RewriteView &rewrite) {
  return findChanged<layer::ConvOp, layer::MatMulOp>(rewrite, [](mlir::Operation *operation) {
    return biasOf(operation) && llvm::isa<PerTensor>(layer::elementOf(operation->getOperand(0)));
  });
}
Status injectBias(const RewriteView &, mlir::Operation *found, BugDraw &) {
  const auto input = llvm::cast<PerTensor>(layer::elementOf(found->getOperand(0)));
  return scaleBias(*biasOf(found), input.getScale()) ? success()
                                                     : noPlace("the bug would not change the rounded bias");
}

constexpr std::string_view deciding[] = {"decide-precision"};

constexpr PassBug precisionTable[] = {
    {"scale-of-neighbour", deciding, findNeighbour, injectNeighbour},
    {"zero-point-sign", deciding, findZeroPoint, injectZeroPoint},
    {"scale-shared-wrong", deciding, findNarrow, injectShared},
    {"bias-scale-short", deciding, findBias, injectBias},
};

} // namespace

std::span<const PassBug> precisionBugs() { return precisionTable; }

} // namespace tilerig::compiler
