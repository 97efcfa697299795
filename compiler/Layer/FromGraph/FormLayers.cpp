// Lowers level `graph` to level `layer`: every operation becomes layers of the accelerator, a call of a kernel of the
// host, or a part of the model that the framework runs.
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Layer/FromGraph/Lowerings.h"
#include "compiler/Layer/IR/Types.h"
#include "compiler/Layer/Partition/Layers.h"
#include "compiler/Passes/Passes.h"
#include "compiler/Passes/Remarks.h"
#include "compiler/Passes/RewriteAction.h"
#include "isa/Program/HostSignature.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Quant/IR/Quant.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FORMLAYERS
#include "compiler/Passes/Passes.h.inc"

namespace {

bool isEmpty(mlir::Value value) {
  const auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 0;
}

// Erases the operations between `before`, or the begin of the block if it is null, and `end`.
void eraseBetween(mlir::Operation *before, mlir::Operation *end) {
  while (end->getPrevNode() != before)
    end->getPrevNode()->erase();
}

std::string reasonOf(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return "the machine has no instructions for elements of type " + text;
}

// Why the machine has no instructions for a layer; empty if it has. Constants may have any type, because the layers
// that read them convert them. Plain 8-bit integers are accepted with `getsScale`: if the layers that read them may
// give them a scale.
std::string missingInstructions(mlir::Operation *layer, bool getsScale) {
  if (llvm::isa<layer::ConstantOp>(layer))
    return {};
  for (const mlir::Value value : llvm::concat<mlir::Value>(layer->getOperands(), layer->getResults()))
    if (const mlir::Type element = layer::elementOf(value); !value.getDefiningOp<layer::ConstantOp>() &&
                                                            !layer::isForInstructions(element) &&
                                                            !(getsScale && element.isSignlessInteger(8)))
      return reasonOf(element);
  if (auto binary = llvm::dyn_cast<layer::BinaryOp>(layer))
    return std::string(layer::missingInstruction(binary));
  return {};
}

// A layer for which the machine has no instructions, and why.
struct LayerWithout {
  mlir::Operation *layer;
  std::string reason;
};

// The layers between `before` and `end` for which the machine has no instructions.
llvm::SmallVector<LayerWithout> withoutInstructions(mlir::Operation *before, mlir::Operation *end) {
  const bool getsScale = llvm::any_of(end->getResults(), isReadByScales);
  llvm::SmallVector<LayerWithout> layers;
  for (mlir::Operation *layer = end->getPrevNode(); layer != before; layer = layer->getPrevNode())
    if (std::string reason = missingInstructions(layer, getsScale); !reason.empty())
      layers.push_back({layer, std::move(reason)});
  return layers;
}

// Moves these layers to the host, if it has a kernel for each of them; otherwise changes nothing and returns false.
// `values` are the results of the operation that the layers compute.
bool moveToHost(llvm::ArrayRef<LayerWithout> layers, llvm::SmallVectorImpl<mlir::Value> &values) {
  llvm::SmallVector<HostForm> forms;
  for (const LayerWithout &without : layers) {
    const std::optional<HostForm> form = hostFormWithoutInstructions(without.layer);
    if (!form)
      return false;
    forms.push_back(*form);
  }
  for (const auto &[without, form] : llvm::zip_equal(layers, forms)) {
    const mlir::Value result = without.layer->getResult(0);
    const auto place = llvm::find(values, result);
    layer::HostOp moved = moveToHost(without.layer, form);
    moved->setDiscardableAttr(
        placementAttribute,
        mlir::StringAttr::get(moved->getContext(), "the host has a kernel, and " + without.reason));
    if (place != values.end())
      *place = moved->getResult(0);
  }
  return true;
}

constexpr const char *noElements = "tensors without elements are not supported by the accelerator";

// Lowers an operation to layers of the accelerator, or to kernels of the host unless only the accelerator is
// allowed.
Lowered lowerToKernels(mlir::Operation *operation, LayerBuilder &to, llvm::StringRef only) {
  // Every constant of level graph becomes a constant of level layer. A constant without elements is refused
  // only if an operation reads it.
  if (auto constant = llvm::dyn_cast<graph::ConstantOp>(operation))
    return lowered(layer::ConstantOp::create(to.ops(), to.place(), constant.getType(), constant.getValue()));
  if (llvm::any_of(operation->getResults(), isEmpty) || llvm::any_of(operation->getOperands(), isEmpty))
    return noLayer(noElements);
  const bool isTooLarge = operation->hasAttr(tooLargeAttribute);
  std::string reason = isTooLarge ? "its layers need more memory than a tile of the accelerator has"
                                  : "this operation is not supported by the accelerator";
  mlir::Operation *const before = operation->getPrevNode();
  for (const auto family : {lowerProducts, lowerElementwise, lowerImages, lowerRows, lowerMovement,
                            lowerQuantised, lowerIndexing, lowerEinsum, lowerSampling})
    if (auto values = isTooLarge ? std::nullopt : family(operation, to)) {
      if (!*values)
        return std::move(*values);
      const auto layers = withoutInstructions(before, operation);
      if (layers.empty() || (only != "accelerator" && moveToHost(layers, **values)))
        return std::move(*values);
      reason = layers.front().reason;
      eraseBetween(before, operation);
      break;
    }
  if (only != "accelerator")
    if (auto values = lowerOnHost(operation, to); values && (*values || !isTooLarge))
      return std::move(*values);
  return noLayer(std::move(reason));
}

// Lowers an operation to a layer of the framework, which keeps the reason as an attribute.
Lowered toFramework(mlir::Operation *operation, LayerBuilder &to, const std::string &reason) {
  Lowered values = lowerInFramework(operation, to);
  if (values)
    values->front().getDefiningOp()->setDiscardableAttr(placementAttribute, to.ops().getStringAttr(reason));
  return values;
}

// Lowers an operation: to the framework if neither the accelerator nor the host can run it.
Lowered lower(mlir::Operation *operation, LayerBuilder &to, llvm::StringRef only) {
  mlir::Operation *const before = operation->getPrevNode();
  Lowered values = lowerToKernels(operation, to, only);
  if (values || !only.empty() || llvm::isa<graph::ConstantOp>(operation))
    return values;
  const std::string reason = values.error().what;
  eraseBetween(before, operation); // erases layers that a lowering created before it failed
  Lowered inFramework = toFramework(operation, to, reason);
  if (!inFramework)
    return noLayer(reason + "; the framework cannot run it: " + inFramework.error().what);
  return inFramework;
}

struct FormLayersPass : impl::FormLayersBase<FormLayersPass> {
  using FormLayersBase::FormLayersBase;

  // Creates a layer that copies a value: on the host if its elements are of a type that no instruction can use, in
  // the framework if it has no elements.
  Lowered copyOf(mlir::Value value, mlir::OpBuilder &builder, mlir::Location place) {
    const mlir::Type element = layer::elementOf(value);
    if (layer::isForInstructions(element) && !isEmpty(value))
      return lowered(
          layer::ActivateOp::create(builder, place, value.getType(), value, layer::FunctionAttr()));
    const std::string reason = isEmpty(value) ? noElements : reasonOf(element);
    if (!isEmpty(value) && only != "accelerator") {
      auto copy = layer::ReshapeOp::create(builder, place, value.getType(), value);
      llvm::SmallVector<mlir::Value> copies = {copy.getOutput()};
      if (moveToHost({{copy, reason}}, copies))
        return copies;
      copy->erase();
    }
    if (!only.empty())
      return noLayer(reason);
    const auto copy = graph::ReshapeOp::create(builder, place, value.getType(), value);
    LayerBuilder to(builder, place);
    Lowered copies = toFramework(copy, to, reason);
    copy->erase();
    return copies;
  }

  // Whether the framework computes or reads this value of a quantised type.
  static bool isQuantisedForFramework(mlir::Value value) {
    const auto inFramework = [](mlir::Operation *operation) {
      auto host = llvm::dyn_cast_or_null<layer::HostOp>(operation);
      return host && host.getKernel() == llvm::StringRef(frameworkKernel);
    };
    return layer::quantisedOf(layer::elementOf(value)) &&
           (inFramework(value.getDefiningOp()) || llvm::any_of(value.getUsers(), inFramework));
  }

  // An output of the model that is also an input, a constant or another output gets a copy layer, as each
  // output needs memory of its own on the device. So does an output of a quantised type that the framework
  // computes or reads: the framework has the numbers, the host outside of the network has the integers.
  // Several copies of one value are chained, each a copy of the previous one, since equal operations on one
  // value would be merged.
  mlir::LogicalResult copyOutputs() {
    mlir::Operation *end = getOperation().getBody().front().getTerminator();
    mlir::OpBuilder builder(end);
    // For each value that the function returns: the result of the copy layer that was last added for this
    // value.
    llvm::DenseMap<mlir::Value, mlir::Value> lastCopy;
    for (mlir::OpOperand &output : end->getOpOperands()) {
      const mlir::Value value = output.get();
      if (value.getDefiningOp() && !value.getDefiningOp<layer::ConstantOp>() &&
          !isQuantisedForFramework(value) && lastCopy.try_emplace(value, value).second)
        continue;
      const auto name =
          getOperation().getResultAttrOfType<mlir::StringAttr>(output.getOperandNumber(), nameAttribute);
      if (const auto input = llvm::dyn_cast<mlir::BlockArgument>(value);
          input && name && name == getOperation().getArgAttr(input.getArgNumber(), nameAttribute))
        return mlir::emitError(mlir::UnknownLoc::get(&getContext()), "output '")
               << name.getValue() << "' is the model's input of the same name, so no layer computes it";
      const mlir::Location place = name ? mlir::Location(mlir::NameLoc::get(name)) : value.getLoc();
      const mlir::Value from = lastCopy.try_emplace(value, value).first->second;
      const Lowered copy = copyOf(from, builder, place);
      if (!copy)
        return mlir::emitError(mlir::UnknownLoc::get(&getContext()), "output '")
               << (name ? name.getValue() : "") << "' is a copy of another tensor, but " << copy.error().what;
      output.set(copy->front());
      lastCopy[value] = output.get();
    }
    return mlir::success();
  }

  // Replaces an operation by layers. If the operation cannot become layers, emits an error and returns false.
  bool replace(mlir::Operation &operation) {
    mlir::OpBuilder builder(&operation);
    // Of the layers made for an operation, only the last one gets the name of the model's tensor.
    LayerBuilder to(builder, graph::withTensor(operation.getLoc(), std::nullopt));
    const Lowered values = lower(&operation, to, only);
    if (!values) {
      operation.emitOpError(values.error().what);
      return false;
    }
    if (values->size() != operation.getNumResults()) {
      operation.emitOpError() << "has " << operation.getNumResults() << " results, but its operator computes "
                              << values->size();
      return false;
    }
    const bool hasSeveral = operation.getNumResults() > 1;
    for (const auto [value, result] : llvm::zip_equal(*values, operation.getResults()))
      if (mlir::Operation *last = value.getDefiningOp(); last && last->getLoc() == to.place())
        last->setLoc(hasSeveral && last->getNumResults() == 1
                         ? graph::withTensor(to.place(), graph::tensorOrigin(result))
                         : operation.getLoc());
    if (mlir::Operation *const last = values->empty() ? nullptr : values->front().getDefiningOp();
        last && !llvm::isa<layer::ConstantOp>(last))
      mlir::remark::passed(operation.getLoc(), remarkOf(getArgumentName(), "FormLayer")) << mlir::remark::add(
          "{0} becomes {1}", operation.getName().getStringRef(), last->getName().getStringRef());
    operation.replaceAllUsesWith(*values);
    operation.erase();
    return true;
  }

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    bool isComplete = true;
    for (mlir::Operation &operation :
         llvm::make_early_inc_range(getOperation().getBody().front().without_terminator())) {
      if (llvm::isa<graph::ConstantOp>(operation))
        isComplete &= replace(operation);
      else if (llvm::isa<graph::GraphDialect>(operation.getDialect()))
        announceRewrite(&operation, "FormLayer", [&] { isComplete &= replace(operation); });
    }
    if (!isComplete || mlir::failed(copyOutputs()))
      return signalPassFailure();
    // The function type follows the types of arguments and outputs, which quantisation may have changed.
    mlir::Block &block = getOperation().getBody().front();
    getOperation().setType(mlir::FunctionType::get(&getContext(), block.getArgumentTypes(),
                                                   block.getTerminator()->getOperandTypes()));
  }
};

} // namespace

} // namespace tilerig::compiler
