#include "compiler/Graph/Folding/Evaluate.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Passes/Passes.h"
#include "compiler/Passes/Remarks.h"
#include "compiler/Passes/RewriteAction.h"

#include <llvm/ADT/DenseSet.h>
#include <mlir/IR/Builders.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FOLDCONSTANTS
#include "compiler/Passes/Passes.h.inc"

namespace {

// The result of an operation on constants is always folded if it has up to this number of elements. A larger
// result is folded only if it is not larger than all operands of the operation together.
constexpr int64_t smallElements = 4096;

bool hasOpenSizes(mlir::Operation &operation) {
  const auto isOpen = [](mlir::Type type) {
    return !llvm::cast<mlir::RankedTensorType>(type).hasStaticShape();
  };
  return llvm::any_of(operation.getOperandTypes(), isOpen) ||
         llvm::any_of(operation.getResultTypes(), isOpen);
}

bool grows(mlir::Operation &operation) {
  int64_t before = 0;
  // If a tensor is used as two operands of the operation, its elements are counted once.
  llvm::DenseSet<mlir::Value> counted;
  for (mlir::Value operand : operation.getOperands())
    if (counted.insert(operand).second)
      before += graph::tensorType(operand).getNumElements();
  const int64_t after = graph::tensorType(operation.getResult(0)).getNumElements();
  return after > smallElements && after > before;
}

struct FoldConstantsPass : impl::FoldConstantsBase<FoldConstantsPass> {
  void runOnOperation() override {
    mlir::OpBuilder builder(&getContext());
    unsigned number = 0;
    for (mlir::Operation &operation : llvm::make_early_inc_range(getOperation().getBody().getOps())) {
      if (operation.getNumResults() != 1 || hasOpenSizes(operation) || grows(operation))
        continue;
      const std::optional<Tensor> value = evaluate(&operation);
      if (!value)
        continue;
      announceRewrite(&operation, "Fold", [&] {
        builder.setInsertionPoint(&operation);
        const auto attribute = attributeOf(getContext(), *value, "folded" + std::to_string(number++));
        mlir::remark::passed(operation.getLoc(), remarkOf(getArgumentName(), "Fold"))
            << mlir::remark::add("{0} becomes a constant", operation.getName().getStringRef());
        operation.replaceAllUsesWith(graph::ConstantOp::create(builder, operation.getLoc(), attribute));
        operation.erase();
      });
    }
  }
};

} // namespace

} // namespace tilerig::compiler
