#include "compiler/Export/Layers.h"

#include "compiler/Export/LayerFamilies.h"
#include "compiler/Export/Operations.h"

namespace tilerig {

namespace {

void writeHost(layer::HostOp op, ModelWriter &writer, OrderedNames &names) {
  llvm::SmallVector<std::string> inputs;
  size_t next = 0;
  for (const bool isPresent : op.getPresent()) {
    const mlir::Value input = isPresent ? op.getInputs()[next++] : mlir::Value();
    inputs.push_back(input ? names.in(input, identityOrder(graph::shapeOf(input).size())) : "");
  }
  mlir::DictionaryAttr parameters = op.getParameters();
  if (const auto k = parameters.getAs<mlir::IntegerAttr>("k");
      k && op.getKernel() == "TopK") { // an operand in ONNX
    inputs.push_back(writer.addInts({k.getInt()}, writer.nameOf(op.getResult(0)) + ".k"));
    mlir::NamedAttrList others(parameters);
    others.erase("k");
    parameters = others.getDictionary(op.getContext());
  }
  onnx::NodeProto &node = writer.addNode(op.getKernel(), op, inputs);
  setAttributes(node, parameters);
  for (const mlir::Value output : op.getOutputs())
    names.define(output, names.homeOf(output), writer.nameOf(output));
}

} // namespace

bool writeLayer(mlir::Operation *operation, ModelWriter &writer, OrderedNames &names, OnnxForm form) {
  names.nameResults(operation);
  if (auto host = llvm::dyn_cast<layer::HostOp>(operation)) {
    writeHost(host, writer, names);
    return true;
  }
  if (!llvm::isa<layer::LayerDialect>(operation->getDialect()))
    return false;
  LayerWriting to(operation, writer, names, form);
  for (const auto family : {writeProducts, writeElementwise, writeImages, writeRows, writeMovement})
    if (family(operation, to))
      return true;
  return false;
}

} // namespace tilerig
