// The pass keep-first-layers: keeps only the first layers of a network, so that users can find out which layer
// of a long network goes wrong.
//
// Outputs of the shortened network are the old outputs that are still computed, and the tensors that the
// removed layers read. They have the names and axis order of the model's tensors; a layer that transposes is
// added where the axis order differs. Inputs that are no longer read are removed.
#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Layer/Partition/Layers.h"
#include "compiler/Layer/Transforms/ModelOrder.h"
#include "compiler/Passes/Passes.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringSet.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_KEEPFIRSTLAYERS
#include "compiler/Passes/Passes.h.inc"

namespace {

struct NamedOutput {
  mlir::Value value;
  std::string name;
  bool isModels = true; // whether `name` is the name of a tensor of the model
};

// The outputs of the shortened network: first the old outputs that are still computed, under their names,
// then the values that the removed layers read.
std::vector<NamedOutput> outputsOf(mlir::func::FuncOp function, const llvm::DenseSet<mlir::Operation *> &gone,
                                   llvm::ArrayRef<mlir::Operation *> kept) {
  std::vector<NamedOutput> outputs;
  llvm::DenseSet<mlir::Value> outputValues;
  // Names of the shortened network's inputs and outputs; a further output needs another name.
  llvm::StringSet<> taken;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (const auto name = function.getArgAttrOfType<mlir::StringAttr>(i, nameAttribute))
      taken.insert(name.getValue());
  mlir::Operation *end = function.getBody().front().getTerminator();
  for (mlir::OpOperand &operand : end->getOpOperands()) {
    mlir::Operation *maker = operand.get().getDefiningOp();
    if (!maker || gone.contains(maker))
      continue;
    const auto name =
        function.getResultAttrOfType<mlir::StringAttr>(operand.getOperandNumber(), nameAttribute);
    outputs.push_back({operand.get(), name ? name.str() : ""});
    outputValues.insert(operand.get());
    taken.insert(outputs.back().name);
  }
  for (mlir::Operation *layer : kept)
    for (const mlir::OpResult result : layer->getResults()) {
      const bool isRead = llvm::any_of(result.getUsers(), [&](auto *user) { return gone.contains(user); });
      if (!isRead || outputValues.contains(result))
        continue;
      std::string name = graph::resultName(layer->getLoc(), result.getResultNumber());
      const bool isModels = !name.empty() && taken.insert(name).second;
      if (!isModels)
        name = "tilerig.cut." + std::to_string(outputs.size());
      outputs.push_back({result, std::move(name), isModels});
    }
  return outputs;
}

void keepFirstLayers(mlir::func::FuncOp function, size_t count) {
  const std::vector<mlir::Operation *> layers = layersOf(function);
  if (count >= layers.size())
    return;
  const llvm::ArrayRef<mlir::Operation *> all = layers, kept = all.take_front(count),
                                          rest = all.drop_front(count);
  const llvm::DenseSet<mlir::Operation *> gone(rest.begin(), rest.end());
  std::vector<NamedOutput> outputs = outputsOf(function, gone, kept);

  mlir::Block &body = function.getBody().front();
  mlir::OpBuilder builder(body.getTerminator());
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<mlir::Attribute> attributes;
  for (const NamedOutput &output : outputs) {
    values.push_back(output.isModels ? inModelOrder(builder, output.value) : output.value);
    attributes.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr(nameAttribute, builder.getStringAttr(output.name))));
  }
  body.getTerminator()->setOperands(values);
  for (mlir::Operation *layer : llvm::reverse(rest))
    layer->erase();
  llvm::BitVector unread(body.getNumArguments());
  for (const mlir::BlockArgument argument : body.getArguments())
    unread[argument.getArgNumber()] = argument.use_empty();
  (void)function.eraseArguments(unread);
  function.setType(mlir::FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                           body.getTerminator()->getOperandTypes()));
  function.setAllResultAttrs(attributes);
}

struct KeepFirstLayersPass : impl::KeepFirstLayersBase<KeepFirstLayersPass> {
  using KeepFirstLayersBase::KeepFirstLayersBase;

  void runOnOperation() override { keepFirstLayers(getOperation(), layers); }
};

} // namespace

} // namespace tilerig::compiler
