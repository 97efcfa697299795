// From level `graph` to level `layer`: every operation becomes layers, an operator of the host, or is
// refused.
#include "compiler/Dialect/Graph/Origins.h"
#include "compiler/Lowering/Lowerings.h"
#include "compiler/Passes/Passes.h"
#include "isa/Timing/Host.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Quant/IR/Quant.h>

namespace tilerig {

#define GEN_PASS_DEF_FORMLAYERS
#include "compiler/Passes/Passes.h.inc"

namespace {

bool isEmpty(mlir::Value value) {
  const auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.getNumElements() == 0;
}

Lowered onHost(graph::OpaqueOp op, LayerBuilder &to) {
  if (!op.getDomain().empty() || !findHostOperator(op.getNodeType()))
    return noLayer("neither the accelerator nor the host has " + op.getNodeType().str());
  auto made = layer::HostOp::create(to.ops(), to.place(), op.getResultTypes(), op.getInputs(),
                                    op.getNodeType(), op.getNodeAttributes(), op.getPresent());
  return llvm::SmallVector<mlir::Value>(made.getResults());
}

Lowered lower(mlir::Operation *operation, LayerBuilder &to) {
  if (llvm::any_of(operation->getResults(), isEmpty) || llvm::any_of(operation->getOperands(), isEmpty))
    return noLayer("a tensor without elements has no layer");
  if (auto constant = llvm::dyn_cast<graph::ConstantOp>(operation))
    return lowered(layer::ConstantOp::create(to.ops(), to.place(), constant.getType(), constant.getValue()));
  if (auto opaque = llvm::dyn_cast<graph::OpaqueOp>(operation))
    return onHost(opaque, to);
  for (const auto family : {lowerProducts, lowerElementwise, lowerImages, lowerRows, lowerMovement, lowerQuantised})
    if (auto values = family(operation, to))
      return std::move(*values);
  return noLayer("the accelerator has no layer for it");
}

struct FormLayersPass : impl::FormLayersBase<FormLayersPass> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    bool isComplete = true;
    for (mlir::Operation &operation :
         llvm::make_early_inc_range(getOperation().getBody().front().without_terminator())) {
      if (!llvm::isa<graph::GraphDialect>(operation.getDialect()))
        continue;
      mlir::OpBuilder builder(&operation);
      // Of several layers the last one gives the model's tensor.
      LayerBuilder to(builder, graph::withTensor(operation.getLoc(), std::nullopt));
      Lowered values = lower(&operation, to);
      if (!values) {
        operation.emitOpError(values.error().what);
        isComplete = false;
        continue;
      }
      for (const mlir::Value value : *values)
        if (mlir::Operation *last = value.getDefiningOp(); last && last->getLoc() == to.place())
          last->setLoc(operation.getLoc());
      operation.replaceAllUsesWith(*values);
      operation.erase();
    }
    if (!isComplete)
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig
