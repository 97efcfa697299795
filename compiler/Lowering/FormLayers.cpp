// From level `graph` to level `layer`: every operation becomes layers, an operator of the host, or is
// refused.
#include "compiler/Dialect/Graph/Origins.h"
#include "compiler/Import/Import.h"
#include "compiler/Lowering/Lowerings.h"
#include "compiler/Passes/Passes.h"
#include "isa/Timing/Host.h"

#include <llvm/ADT/TypeSwitch.h>
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

// --- Operators of the host ---

Lowered onHost(mlir::Operation *op, llvm::StringRef kernel, mlir::ArrayRef<mlir::NamedAttribute> parameters,
               llvm::ArrayRef<mlir::Value> operands, LayerBuilder &to) {
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<bool> present;
  for (const mlir::Value operand : operands) {
    present.push_back(static_cast<bool>(operand));
    if (operand)
      inputs.push_back(operand);
  }
  auto made = layer::HostOp::create(to.ops(), to.place(), op->getResultTypes(), inputs, kernel,
                                    to.ops().getDictionaryAttr(parameters), present);
  return llvm::SmallVector<mlir::Value>(made.getResults());
}

Lowered topK(graph::TopKOp op, LayerBuilder &to) {
  mlir::Builder &of = to.ops();
  return onHost(op, "TopK",
                {of.getNamedAttr("k", of.getI64IntegerAttr(static_cast<int64_t>(op.getK()))),
                 of.getNamedAttr("axis", of.getI64IntegerAttr(static_cast<int64_t>(op.getAxis()))),
                 of.getNamedAttr("largest", of.getI64IntegerAttr(op.getLargest() ? 1 : 0))},
                {op.getInput()}, to);
}

// The kernels have the activations that the standard has where none are named, and no clip.
template <class Op>
bool isPlain(Op op, llvm::ArrayRef<llvm::StringRef> activations) {
  const auto names = op.getActivations().template getAsRange<mlir::StringAttr>();
  size_t at = 0;
  for (const mlir::StringAttr name : names)
    if (name.getValue() != activations[at++ % activations.size()])
      return false;
  return op.getClip().isZero();
}

template <class Op>
llvm::SmallVector<mlir::NamedAttribute> recurrentParameters(Op op, mlir::Builder &of) {
  return {of.getNamedAttr("direction", of.getStringAttr(graph::stringifyDirection(op.getDirection()))),
          of.getNamedAttr("hidden_size", of.getI64IntegerAttr(static_cast<int64_t>(op.getHidden())))};
}

constexpr llvm::StringLiteral otherActivations =
    "activations other than the usual ones, or a clip, have no kernel";

Lowered lstm(graph::LstmOp op, LayerBuilder &to) {
  if (!isPlain(op, {"Sigmoid", "Tanh", "Tanh"}))
    return noLayer(otherActivations.str());
  auto parameters = recurrentParameters(op, to.ops());
  parameters.push_back(
      to.ops().getNamedAttr("input_forget", to.ops().getI64IntegerAttr(op.getInputForget() ? 1 : 0)));
  return onHost(op, "LSTM", parameters,
                {op.getInput(), op.getWeights(), op.getRecurrence(), op.getBias(), op.getLengths(),
                 op.getInitialState(), op.getInitialCell(), op.getPeepholes()},
                to);
}

template <class Op>
Lowered recurrent(Op op, llvm::StringRef kernel, llvm::ArrayRef<llvm::StringRef> activations,
                  llvm::ArrayRef<mlir::NamedAttribute> more, LayerBuilder &to) {
  if (!isPlain(op, activations))
    return noLayer(otherActivations.str());
  auto parameters = recurrentParameters(op, to.ops());
  parameters.append(more.begin(), more.end());
  return onHost(op, kernel, parameters,
                {op.getInput(), op.getWeights(), op.getRecurrence(), op.getBias(), op.getLengths(),
                 op.getInitialState()},
                to);
}

mlir::NamedAttribute integer(llvm::StringRef name, uint64_t value, mlir::Builder &of) {
  return of.getNamedAttr(name, of.getI64IntegerAttr(static_cast<int64_t>(value)));
}

template <class Op>
mlir::NamedAttribute reduction(Op op, mlir::Builder &of) {
  return of.getNamedAttr("reduction", of.getStringAttr(stringifyScatterReduction(op.getReduction())));
}

std::optional<Lowered> onHost(mlir::Operation *operation, LayerBuilder &to) {
  using Found = std::optional<Lowered>;
  mlir::Builder &of = to.ops();
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case([&](graph::TopKOp op) -> Found { return topK(op, to); })
      .Case([&](graph::LstmOp op) -> Found { return lstm(op, to); })
      .Case([&](graph::GruOp op) -> Found {
        const int64_t before = op.getLinearBeforeReset() ? 1 : 0;
        return recurrent(op, "GRU", {"Sigmoid", "Tanh"},
                         {of.getNamedAttr("linear_before_reset", of.getI64IntegerAttr(before))}, to);
      })
      .Case([&](graph::RnnOp op) -> Found { return recurrent(op, "RNN", {"Tanh"}, {}, to); })
      .Case([&](graph::GatherElementsOp op) -> Found {
        return onHost(op, "GatherElements", {integer("axis", op.getAxis(), of)},
                      llvm::to_vector(op->getOperands()), to);
      })
      .Case([&](graph::GatherNDOp op) -> Found {
        return onHost(op, "GatherND", {integer("batch_dims", op.getBatchDims(), of)},
                      llvm::to_vector(op->getOperands()), to);
      })
      .Case([&](graph::ScatterElementsOp op) -> Found {
        return onHost(op, "ScatterElements", {integer("axis", op.getAxis(), of), reduction(op, of)},
                      llvm::to_vector(op->getOperands()), to);
      })
      .Case([&](graph::ScatterNDOp op) -> Found {
        return onHost(op, "ScatterND", {reduction(op, of)}, llvm::to_vector(op->getOperands()), to);
      })
      .Case([&](graph::ReverseSequenceOp op) -> Found {
        return onHost(
            op, "ReverseSequence",
            {integer("time_axis", op.getTimeAxis(), of), integer("batch_axis", op.getBatchAxis(), of)},
            llvm::to_vector(op->getOperands()), to);
      })
      .Default([](mlir::Operation *) { return Found(); });
}

Lowered onHost(graph::OpaqueOp op, LayerBuilder &to) {
  if (!op.getDomain().empty() || !findHostOperator(op.getNodeType()))
    return noLayer("neither the accelerator nor the host has " + op.getNodeType().str());
  auto made = layer::HostOp::create(to.ops(), to.place(), op.getResultTypes(), op.getInputs(),
                                    op.getNodeType(), op.getNodeAttributes(), op.getPresent());
  return llvm::SmallVector<mlir::Value>(made.getResults());
}

Lowered lower(mlir::Operation *operation, LayerBuilder &to) {
  // Folded constants come from nowhere; one without elements is refused where it is used.
  if (auto constant = llvm::dyn_cast<graph::ConstantOp>(operation))
    return lowered(layer::ConstantOp::create(to.ops(), to.place(), constant.getType(), constant.getValue()));
  if (llvm::any_of(operation->getResults(), isEmpty) || llvm::any_of(operation->getOperands(), isEmpty))
    return noLayer("a tensor without elements has no layer");
  if (auto opaque = llvm::dyn_cast<graph::OpaqueOp>(operation))
    return onHost(opaque, to);
  for (const auto family : {lowerProducts, lowerElementwise, lowerImages, lowerRows, lowerMovement,
                            lowerQuantised, lowerIndexing, lowerEinsum})
    if (auto values = family(operation, to))
      return std::move(*values);
  if (auto values = onHost(operation, to))
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
    // Of what nodes give, the node has been refused.
    mlir::Operation *end = getOperation().getBody().front().getTerminator();
    for (unsigned i = 0; isComplete && i < end->getNumOperands(); ++i)
      if (isEmpty(end->getOperand(i))) {
        const auto name = getOperation().getResultAttrOfType<mlir::StringAttr>(i, nameAttribute);
        mlir::emitError(mlir::UnknownLoc::get(&getContext()), "output '")
            << (name ? name.getValue() : "") << "' has no elements, so that nothing gives it";
        isComplete = false;
      }
    if (!isComplete)
      return signalPassFailure();
    // Integers with a scale are given as what they are.
    mlir::Block &block = getOperation().getBody().front();
    getOperation().setType(mlir::FunctionType::get(&getContext(), block.getArgumentTypes(),
                                                   block.getTerminator()->getOperandTypes()));
  }
};

} // namespace

} // namespace tilerig
