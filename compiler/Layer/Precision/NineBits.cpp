#include "compiler/Layer/Precision/NineBits.h"

#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/IR/Quantised.h"
#include "compiler/Layer/IR/Types.h"

#include <cmath>
#include <limits>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using layer::elementOf;
using PerTensor = mlir::quant::UniformQuantizedType;

constexpr int64_t lowest = -256, highest = 255, numSteps = highest - lowest;

bool isEightBits(mlir::Type element) {
  const auto type = llvm::dyn_cast<PerTensor>(element);
  return type && type.getStorageTypeIntegralWidth() == 8;
}

// The 9-bit quantised type for the same range of reals as an 8-bit type; null if the scale of the 9-bit type
// would be smaller than the smallest normal fp32 number.
PerTensor widened(PerTensor type) {
  const int64_t stepsBefore = type.getStorageTypeMax() - type.getStorageTypeMin();
  const double ratio = static_cast<double>(numSteps) / static_cast<double>(stepsBefore);
  const auto scale = static_cast<float>(type.getScale() / ratio);
  if (scale < std::numeric_limits<float>::min())
    return {};
  const auto below = static_cast<double>(type.getZeroPoint() - type.getStorageTypeMin());
  return PerTensor::get(mlir::quant::QuantizationFlags::Signed, mlir::IntegerType::get(type.getContext(), 16),
                        type.getExpressedType(), scale,
                        lowest + static_cast<int64_t>(std::nearbyint(below * ratio)), lowest, highest);
}

// Whether the layer passes stored integers on without arithmetic, so that its operands and its result must
// have the same type.
bool passesOn(mlir::Operation *operation) {
  return layer::keepsStoredType(operation) || llvm::isa<layer::ConcatOp>(operation);
}

// Whether an operator of ONNX can pass on integers of nine bits, which exported models hold in 16 bits.
bool canPassOn(mlir::Operation *operation) {
  return passesOn(operation) &&
         !llvm::isa<layer::PoolOp, layer::ReduceOp, layer::ResizeOp, layer::PadOp>(operation);
}

bool picks(layer::ReduceOp op) {
  return op.getKind().getValue() == ReduceFunction::max || op.getKind().getValue() == ReduceFunction::min;
}

// Whether the instruction for this layer can round its result to nine bits. Instructions of the POD (matrix
// engine) can, unless they apply the function by a table, whose entries have 8 bits.
bool canRound(mlir::Operation *operation) {
  const auto product = [](auto op) {
    return layer::isBound(op.getFunctionAttr()) || (op.getAddend() && op.getFunctionFirst());
  };
  return llvm::TypeSwitch<mlir::Operation *, bool>(operation)
      .Case<layer::ConvOp, layer::MatMulOp>(product)
      .Case([](layer::ActivateOp op) { return !llvm::isa<mlir::BlockArgument>(op.getInput()); })
      .Case([](layer::PoolOp op) { return op.getKind().getValue() != PoolFunction::max; })
      .Case([](layer::ReduceOp op) { return !picks(op); })
      .Case([](layer::ResizeOp op) { return op.getKind().getValue() != ResizeMode::nearest; })
      .Case<layer::BinaryOp, layer::SelectOp, layer::SoftmaxOp, layer::NormalizeOp>([](auto) { return true; })
      .Default([](mlir::Operation *) { return false; });
}

// Whether a sum of `count` 9-bit integers is exact in fp32, the type in which exported ONNX models add them.
bool isSumExact(int64_t count) {
  return count * numSteps <= int64_t{1} << std::numeric_limits<float>::digits;
}

// Whether the layer that reads this operand becomes an instruction that can read nine-bit values.
bool canRead(mlir::OpOperand &operand) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(operand.getOwner())
      .Case([](layer::PoolOp op) {
        return op.getKind().getValue() != PoolFunction::max &&
               isSumExact(op.getKernel()[0] * op.getKernel()[1]);
      })
      .Case([](layer::ReduceOp op) { return !picks(op); })
      .Case([](layer::ResizeOp op) { return op.getKind().getValue() != ResizeMode::nearest; })
      .Case<layer::SoftmaxOp, layer::NormalizeOp>([&](auto) { return operand.getOperandNumber() == 0; })
      .Case<layer::ActivateOp, layer::BinaryOp, layer::SelectOp>([](auto) { return true; })
      .Default([](mlir::Operation *) { return false; });
}

bool canBeWide(mlir::Value value) {
  mlir::Operation *maker = value.getDefiningOp();
  return maker && isEightBits(elementOf(value)) && (canPassOn(maker) || canRound(maker)) &&
         llvm::all_of(value.getUses(),
                      [](mlir::OpOperand &use) { return canPassOn(use.getOwner()) || canRead(use); });
}

} // namespace

void widenToNineBits(mlir::Block &body, llvm::function_ref<bool(mlir::Value)> mayChange) {
  // Values that layers pass on to each other unchanged must have the same type: either all values of such a
  // group get nine bits or none.
  llvm::EquivalenceClasses<mlir::Value> groups;
  for (mlir::Operation &operation : body.without_terminator()) {
    for (const mlir::Value result : operation.getResults())
      groups.insert(result);
    if (passesOn(&operation))
      for (const mlir::Value operand : operation.getOperands())
        if (elementOf(operand) == elementOf(operation.getResult(0)))
          groups.unionSets(operation.getResult(0), operand);
  }
  for (const auto *leader : groups) {
    if (!leader->isLeader())
      continue;
    const auto members = groups.members(*leader);
    const bool areWide =
        llvm::all_of(members, [&](mlir::Value value) { return mayChange(value) && canBeWide(value); });
    const PerTensor wide =
        areWide ? widened(llvm::cast<PerTensor>(elementOf(*members.begin()))) : PerTensor();
    if (wide)
      for (mlir::Value value : members)
        value.setType(mlir::RankedTensorType::get(graph::shapeOf(value), wide));
  }
}

} // namespace tilerig::compiler
