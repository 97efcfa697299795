#include "compiler/Graph/IR/Origins.h"
#include "compiler/Layer/IR/LayerKind.h"
#include "compiler/Layer/IR/Quantised.h"
#include "compiler/Layer/Transforms/NotFused.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <fmt/core.h>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FUSEFUNCTIONS
#include "compiler/Passes/Passes.h.inc"

namespace {

// The function that a layer applies to its result (a null attribute if none). Nullopt for layers such as
// pools and reductions, which cannot apply functions in every precision: on quantised tensors they are
// integer sums without a function.
std::optional<layer::FunctionAttr> epilogueOf(mlir::Operation *operation) {
  using Function = std::optional<layer::FunctionAttr>;
  return llvm::TypeSwitch<mlir::Operation *, Function>(operation)
      .Case<layer::ConvOp, layer::MatMulOp, layer::NormalizeOp, layer::SoftmaxOp, layer::SelectOp>(
          [](auto op) { return op.getFunctionAttr(); })
      .Case([](layer::BinaryOp op) {
        return op.getKind().getValue() < BinaryFunction::equal ? Function(op.getFunctionAttr())
                                                               : std::nullopt;
      })
      .Default([](mlir::Operation *) { return std::nullopt; });
}

// Whether only outputs of the model and operators of the host read the value, directly or after a change of
// its shape or axis order.
bool leavesTheDevice(mlir::Value value) {
  return llvm::all_of(value.getUsers(), [](mlir::Operation *user) {
    if (llvm::isa<layer::TransposeOp, layer::ReshapeOp>(user))
      return leavesTheDevice(user->getResult(0));
    return llvm::isa<mlir::func::ReturnOp, layer::HostOp>(user);
  });
}

// The reason why a function is not fused into the layer that computes its argument. Empty if it can be fused;
// nullopt if that layer cannot apply functions.
std::optional<std::string> functionRefusal(layer::ActivateOp activate, bool roundsLast) {
  mlir::Operation *const producer = activate.getInput().getDefiningOp();
  const auto function = producer ? epilogueOf(producer) : std::nullopt;
  if (!function || !activate.getFunction())
    return std::nullopt;
  if (std::string readers = otherReadersOf(producer); !readers.empty())
    return readers;
  if (*function)
    return usedByFunction(producer, *function);
  if (activate.getInput().getType() != activate.getType())
    return otherType(producer);
  if (!llvm::isa<mlir::FloatType>(activate.getType().getElementType()))
    return fmt::format("the epilogue of {} does not apply functions of integers", kindOf(producer));
  if (roundsLast && llvm::isa<layer::ConvOp, layer::MatMulOp>(producer) &&
      !layer::isBound(activate.getFunctionAttr()) && leavesTheDevice(activate.getOutput()))
    return "its result leaves the device, and a layer of its own rounds it to nine bits instead of eight";
  return "";
}

struct IntoProducer : mlir::OpRewritePattern<layer::ActivateOp> {
  IntoProducer(mlir::MLIRContext *context, bool roundsLast)
      : OpRewritePattern(context), roundsLast(roundsLast) {}

  mlir::LogicalResult matchAndRewrite(layer::ActivateOp activate,
                                      mlir::PatternRewriter &rewriter) const override {
    if (functionRefusal(activate, roundsLast) != "")
      return mlir::failure();
    mlir::Operation *const producer = activate.getInput().getDefiningOp();
    rewriter.modifyOpInPlace(producer, [&] {
      producer->setAttr("function", activate.getFunctionAttr());
      producer->setLoc(graph::fusedLocation({producer->getLoc(), activate.getLoc()}));
    });
    rewriter.replaceOp(activate, producer->getResults());
    return mlir::success();
  }

private:
  bool roundsLast;
};

struct FuseFunctionsPass : impl::FuseFunctionsBase<FuseFunctionsPass> {
  using FuseFunctionsBase::FuseFunctionsBase;

  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<IntoProducer>(&getContext(), roundsLast);
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation().walk([&](layer::ActivateOp activate) {
      if (const auto refusal = functionRefusal(activate, roundsLast))
        recordNotFused(activate, getArgumentName(), {*refusal});
    });
  }
};

} // namespace

} // namespace tilerig::compiler
