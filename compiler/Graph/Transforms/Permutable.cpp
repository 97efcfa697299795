#include "compiler/Graph/Transforms/Permutable.h"

#include "compiler/Graph/Transforms/Regroup.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

using namespace graph;

namespace {

bool isElementwise(mlir::Operation *operation) { return operation->hasTrait<Elementwise>(); }

// Whether the operation quantises or dequantises with a single scale for the tensor, or with one scale for
// each index of an axis. Scales for blocks of elements are excluded: they form a tensor whose axes would have
// to be permuted as well.
bool isQuantisation(mlir::Operation *operation) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(operation)
      .Case<QuantizeLinearOp, DequantizeLinearOp>([](auto op) { return op.getBlockSize() == 0; })
      .Default([](mlir::Operation *) { return false; });
}

// Whether the operation has only one tensor operand, and attributes that name axes by number.
bool namesAxes(mlir::Operation *operation) {
  return llvm::isa<SliceOp, PadOp, TileOp, ExpandOp, ResizeOp, SoftmaxOp, LogSoftmaxOp, HardmaxOp,
                   LpNormalizationOp>(operation) ||
         isQuantisation(operation);
}

bool isSingle(mlir::Value value) { return tensorType(value).getNumElements() == 1; }
bool isConstant(mlir::Value value) { return value.getDefiningOp<ConstantOp>() != nullptr; }
size_t rankOf(mlir::Value value) { return shapeOf(value).size(); }

bool keepsAxes(mlir::Operation *operation) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(operation)
      .Case<ReduceL1Op, ReduceL2Op, ReduceLogSumOp, ReduceLogSumExpOp, ReduceMaxOp, ReduceMeanOp, ReduceMinOp,
            ReduceProdOp, ReduceSumOp, ReduceSumSquareOp, ArgMaxOp, ArgMinOp>(
          [](auto op) { return op.getKeepdims(); })
      .Default([](mlir::Operation *) { return false; });
}

// Permutes a list that has one entry for each axis of a tensor.
Dims moved(llvm::ArrayRef<int64_t> entries, llvm::ArrayRef<int64_t> perm) {
  return permuted(entries, inverse(perm));
}

// Permutes one or more lists with one entry for each axis, which are stored one after another, such as
// scales, or the begins and ends of a region. The argument may be empty.
llvm::SmallVector<float> moved(llvm::ArrayRef<float> entries, llvm::ArrayRef<int64_t> perm) {
  llvm::SmallVector<float> result(entries);
  for (size_t i = 0; i < entries.size(); ++i)
    result[i / perm.size() * perm.size() + static_cast<size_t>(perm[i % perm.size()])] = entries[i];
  return result;
}

Dims movedAxes(llvm::ArrayRef<int64_t> axes, llvm::ArrayRef<int64_t> perm) {
  Dims result = permuted(perm, axes);
  llvm::sort(result);
  return result;
}

void moveAxes(mlir::Operation *operation, llvm::ArrayRef<int64_t> perm) {
  llvm::TypeSwitch<mlir::Operation *>(operation)
      .Case<ConcatOp, GatherOp, SoftmaxOp, LogSoftmaxOp, HardmaxOp, LpNormalizationOp, ArgMaxOp, ArgMinOp>(
          [&](auto op) { op.setAxis(static_cast<uint64_t>(perm[op.getAxis()])); })
      .Case<ReduceL1Op, ReduceL2Op, ReduceLogSumOp, ReduceLogSumExpOp, ReduceMaxOp, ReduceMeanOp, ReduceMinOp,
            ReduceProdOp, ReduceSumOp, ReduceSumSquareOp>(
          [&](auto op) { op.setAxes(movedAxes(op.getAxes(), perm)); })
      .Case<QuantizeLinearOp, DequantizeLinearOp>([&](auto op) {
        if (op.getAxis() <
            perm.size()) // for a tensor with a single scale the attribute `axis` has no meaning
          op.setAxis(static_cast<uint64_t>(perm[op.getAxis()]));
      })
      .Case([&](SliceOp op) {
        op.setStarts(moved(op.getStarts(), perm));
        op.setEnds(moved(op.getEnds(), perm));
        op.setSteps(moved(op.getSteps(), perm));
      })
      .Case([&](TileOp op) { op.setRepeats(moved(op.getRepeats(), perm)); })
      .Case([&](ResizeOp op) {
        op.setScales(moved(op.getScales(), perm));
        op.setRegion(moved(op.getRegion(), perm));
        if (!op.getSizes().empty())
          op.setSizes(moved(op.getSizes(), perm));
      })
      .Case([&](PadOp op) {
        Dims pads = moved(op.getPads().take_front(perm.size()), perm);
        pads.append(moved(op.getPads().drop_front(perm.size()), perm));
        op.setPads(pads);
      });
}

// The axes over which a reduction reduces; empty for other operations.
Dims reducedAxes(mlir::Operation *operation) {
  return llvm::TypeSwitch<mlir::Operation *, Dims>(operation)
      .Case<ReduceL1Op, ReduceL2Op, ReduceLogSumOp, ReduceLogSumExpOp, ReduceMaxOp, ReduceMeanOp, ReduceMinOp,
            ReduceProdOp, ReduceSumOp, ReduceSumSquareOp>([](auto op) { return Dims(op.getAxes()); })
      .Case<ArgMaxOp, ArgMinOp>([](auto op) { return Dims{static_cast<int64_t>(op.getAxis())}; })
      .Default([](mlir::Operation *) { return Dims(); });
}

} // namespace

llvm::SmallVector<mlir::OpOperand *> permutedOperands(mlir::Operation *operation) {
  llvm::SmallVector<mlir::OpOperand *> operands;
  const bool takesAll = isElementwise(operation) || llvm::isa<ConcatOp>(operation);
  const size_t rank = rankOf(operation->getResult(0));
  for (mlir::OpOperand &operand : operation->getOpOperands())
    if (operand.getOperandNumber() == 0 || takesAll)
      if (rankOf(operand.get()) == rank || !isSingle(operand.get()))
        operands.push_back(&operand);
  return operands;
}

bool isPermutable(mlir::Operation *operation, size_t rank) {
  const bool isGather = llvm::isa<GatherOp>(operation) && rankOf(operation->getOperand(1)) == 1;
  if (!isElementwise(operation) && !namesAxes(operation) && !keepsAxes(operation) &&
      !llvm::isa<ConcatOp>(operation) && !isGather)
    return false;
  return rankOf(operation->getResult(0)) == rank &&
         llvm::all_of(permutedOperands(operation), [&](mlir::OpOperand *operand) {
           return rankOf(operand->get()) == rank || (isElementwise(operation) && isConstant(operand->get()));
         });
}

void permuteAxes(mlir::Operation *operation, llvm::ArrayRef<int64_t> perm) {
  moveAxes(operation, perm);
  mlir::Value result = operation->getResult(0);
  result.setType(
      mlir::RankedTensorType::get(moved(shapeOf(result), perm), tensorType(result).getElementType()));
}

bool takesEither(mlir::Operation *operation, llvm::ArrayRef<int64_t> perm) {
  if (auto reshape = llvm::dyn_cast<ReshapeOp>(operation)) {
    const auto place = regroup(moved(shapeOf(reshape.getInput()), perm), perm, shapeOf(reshape.getOutput()));
    return place && keepsOrder(place->perm);
  }
  const Dims axes = reducedAxes(operation);
  if (axes.empty() || keepsAxes(operation))
    return false;
  // The operand of a reduction can be permuted without a transpose of the result only if the axes that remain
  // keep their order.
  Dims rest;
  for (size_t i = 0; i < perm.size(); ++i)
    if (!llvm::is_contained(axes, static_cast<int64_t>(i)))
      rest.push_back(perm[i]);
  return llvm::is_sorted(rest);
}

void takePermuted(mlir::Operation *operation, llvm::ArrayRef<int64_t> perm) { moveAxes(operation, perm); }

} // namespace tilerig::compiler
