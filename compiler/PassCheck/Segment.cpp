#include "compiler/PassCheck/Segment.h"

#include <llvm/ADT/SetVector.h>
#include <mlir/IR/Builders.h>

namespace tilerig::compiler {

namespace {

using Values = llvm::ArrayRef<mlir::Value>;

class Cutter {
public:
  explicit Cutter(llvm::function_ref<bool(mlir::OpOperand &)> isGiven) : isGiven(isGiven) {}

  Segment cut(Values values) {
    for (const mlir::Value value : values)
      visit(value);
    const mlir::Location location = mlir::Value(values.front()).getParentBlock()->getParentOp()->getLoc();
    Segment segment{mlir::ModuleOp::create(location), operands.takeVector()};
    mlir::OpBuilder builder(segment.module->getBodyRegion());
    auto function =
        mlir::func::FuncOp::create(builder, location, "main",
                                   builder.getFunctionType(mlir::ValueRange(segment.operands).getTypes(),
                                                           mlir::ValueRange(values).getTypes()));
    builder.setInsertionPointToStart(function.addEntryBlock());
    for (const auto [i, operand] : llvm::enumerate(segment.operands)) {
      const auto number = static_cast<unsigned>(i);
      arguments[operand] = function.getArgument(number);
      function.getArgument(number).setLoc(operand.getLoc());
      function.setArgAttr(number, nameAttribute, builder.getStringAttr(Segment::operandName(i)));
    }
    copyOperations(builder);
    giveResults(values, builder, function);
    return segment;
  }

private:
  // Collects the operation that computes a value, and all operations on which it depends.
  void visit(mlir::Value value) {
    mlir::Operation *const operation = value.getDefiningOp();
    if (!operation)
      operands.insert(value);
    else if (operations.insert(operation))
      for (mlir::OpOperand &operand : operation->getOpOperands()) {
        if (isGiven(operand))
          operands.insert(operand.get());
        else
          visit(operand.get());
      }
  }

  // Copies the collected operations to a function of their own, the segment. Some of the operations may read
  // a value as an argument of the segment, and others read the same value as computed by the segment.
  void copyOperations(mlir::OpBuilder &builder) {
    llvm::SmallVector<mlir::Operation *> inOrder = operations.takeVector();
    llvm::sort(inOrder, [](mlir::Operation *a, mlir::Operation *b) { return a->isBeforeInBlock(b); });
    for (mlir::Operation *operation : inOrder) {
      mlir::Operation *const copy = builder.insert(operation->clone());
      for (mlir::OpOperand &operand : copy->getOpOperands()) {
        mlir::OpOperand &original = operation->getOpOperand(operand.getOperandNumber());
        const bool isArgument = !original.get().getDefiningOp() || isGiven(original);
        operand.set((isArgument ? arguments : results).lookup(original.get()));
      }
      for (const auto [from, to] : llvm::zip_equal(operation->getResults(), copy->getResults()))
        results[from] = to;
    }
  }

  void giveResults(Values values, mlir::OpBuilder &builder, mlir::func::FuncOp function) const {
    llvm::SmallVector<mlir::Value> returned;
    for (const mlir::Value value : values)
      returned.push_back(value.getDefiningOp() ? results.lookup(value) : arguments.lookup(value));
    mlir::func::ReturnOp::create(builder, function.getLoc(), returned);
    for (unsigned i = 0; i < returned.size(); ++i)
      function.setResultAttr(i, nameAttribute, builder.getStringAttr(Segment::resultName(i)));
  }

  llvm::function_ref<bool(mlir::OpOperand &)> isGiven;
  llvm::SetVector<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> operations;
  llvm::SetVector<mlir::Value, std::vector<mlir::Value>> operands;
  // Map values of the original function to arguments of the copied function (the segment), and to values that
  // the segment computes.
  llvm::DenseMap<mlir::Value, mlir::Value> arguments, results;
};

} // namespace

Segment segmentOf(Values values, llvm::function_ref<bool(mlir::OpOperand &)> isGiven) {
  return Cutter(isGiven).cut(values);
}

} // namespace tilerig::compiler
