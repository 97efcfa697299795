// The pass save-results: makes results of layers outputs of the network, beside their other uses.
//
// This is how intermediate tensors are read on a device whose memory cannot be read from outside. After the fusions and the
// decision of precisions, an output more changes no layer: every layer and every use of its result stays, so the other outputs keep
// their bits (as in US11748622B1, where nodes that save are added to a data flow graph). In front of the new output, layers may be
// added: a transpose to the model's axis order, and a conversion to fp32.
#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/Partition/Layers.h"
#include "compiler/Layer/Transforms/ModelOrder.h"
#include "compiler/Passes/Passes.h"
#include "isa/Base/Support/Nearest.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/StringSet.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_SAVERESULTS
#include "compiler/Passes/Passes.h.inc"

namespace {

// Results of layers that hold a tensor of the model, by its name, in the order of the layers.
llvm::MapVector<llvm::StringRef, mlir::Value> namedResults(mlir::func::FuncOp function,
                                                           llvm::StringSet<> &names) {
  llvm::MapVector<llvm::StringRef, mlir::Value> results;
  for (mlir::Operation *layer : layersOf(function))
    for (const mlir::OpResult result : layer->getResults())
      if (const std::string name = graph::resultName(layer->getLoc(), result.getResultNumber());
          !name.empty())
        results.insert(
            {names.insert(name).first->getKey(), result}); // conversions of a result have its name, too
  return results;
}

struct SaveResultsPass : impl::SaveResultsBase<SaveResultsPass> {
  using SaveResultsBase::SaveResultsBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    llvm::StringSet<> names, inputs, outputs;
    const auto results = namedResults(function, names);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (const auto name = function.getArgAttrOfType<mlir::StringAttr>(i, nameAttribute))
        inputs.insert(name.getValue());
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (const auto name = function.getResultAttrOfType<mlir::StringAttr>(i, nameAttribute))
        outputs.insert(name.getValue());
    if (llvm::is_contained(tensors, "all")) {
      for (const auto &[name, value] : results)
        if (!inputs.contains(name) && outputs.insert(name).second)
          save(function, name, value);
      return;
    }
    for (const std::string &name : tensors) {
      const auto found = results.find(name);
      if (inputs.contains(name))
        return refuse(name, "it is an input of the network");
      if (found == results.end() && !outputs.contains(name))
        return refuse(name, reasonFor(name, results));
      if (outputs.insert(name).second)
        save(function, name, found->second);
    }
  }

private:
  static void save(mlir::func::FuncOp function, llvm::StringRef name, mlir::Value value) {
    mlir::Operation *end = function.getBody().front().getTerminator();
    mlir::OpBuilder builder(end);
    mlir::Value output = inModelOrder(builder, value);
    const mlir::Type element = layer::elementOf(output);
    if ((layer::isFloatForInstructions(element) || llvm::isa<mlir::quant::QuantizedType>(element)) &&
        !element.isF32())
      output = layer::ActivateOp::create(
          builder, value.getLoc(), mlir::RankedTensorType::get(graph::shapeOf(output), builder.getF32Type()),
          output, layer::FunctionAttr());
    llvm::SmallVector<mlir::Attribute> attributes;
    if (const mlir::ArrayAttr all = function.getAllResultAttrs())
      attributes.assign(all.begin(), all.end());
    attributes.resize(function.getNumResults(), builder.getDictionaryAttr({}));
    attributes.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr(nameAttribute, builder.getStringAttr(name))));
    end->insertOperands(end->getNumOperands(), output);
    function.setType(
        mlir::FunctionType::get(function.getContext(), function.getArgumentTypes(), end->getOperandTypes()));
    function.setAllResultAttrs(attributes);
  }

  // Why a tensor is no result of a layer, and what can be saved in its place.
  std::string reasonFor(const std::string &name,
                        const llvm::MapVector<llvm::StringRef, mlir::Value> &results) {
    for (mlir::Operation *layer : layersOf(getOperation())) {
      bool isInside = false;
      layer->getLoc()->walk([&](mlir::Location location) {
        const auto named = llvm::dyn_cast<mlir::NameLoc>(location);
        isInside |= named && named.getName() == name;
        return mlir::WalkResult::advance();
      });
      const std::string result = isInside ? graph::resultName(layer->getLoc(), 0) : "";
      if (!result.empty())
        return "it is computed inside of a layer and never stored; the result of this layer is '" + result +
               "'";
    }
    std::vector<std::string_view> known;
    for (const auto &[one, value] : results)
      known.push_back(one);
    const std::string_view near = nearestName(name, known);
    return near.empty() ? "'--save all' saves all that can be saved"
                        : "did you mean '" + std::string(near) + "'?";
  }

  void refuse(const std::string &name, const std::string &why) {
    mlir::emitError(mlir::UnknownLoc::get(&getContext()))
        << "no layer has the result '" << name << "' with a size that is known when compiling; " << why;
    signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
