#include "compiler/Export/Layers.h"

#include "compiler/Export/LayerFamilies.h"
#include "compiler/Export/Operations.h"
#include "compiler/Export/Renaming.h"
#include "isa/Program/HostSignature.h"
#include "isa/Timing/Host.h"

#include <fmt/core.h>
#include <google/protobuf/text_format.h>
#include <map>

namespace tilerig::compiler {

namespace {

// Moves those parameters of a host layer that are operands in ONNX, not attributes, from `parameters` to
// `inputs`.
void moveToInputs(layer::HostOp op, mlir::NamedAttrList &parameters, llvm::SmallVector<std::string> &inputs,
                  ModelWriter &writer) {
  const std::string base = writer.nameOf(op.getResult(0));
  const auto take = [&](llvm::StringRef name, size_t place) {
    const mlir::Attribute parameter = parameters.erase(name);
    if (!parameter)
      return;
    inputs.resize(std::max(inputs.size(), place + 1));
    const std::string wanted = fmt::format("{}.{}", base, name.str());
    if (const auto integer = llvm::dyn_cast<mlir::IntegerAttr>(parameter))
      inputs[place] = writer.addInts({integer.getInt()}, wanted);
    else if (const auto integers = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(parameter))
      inputs[place] = writer.addInts(integers.asArrayRef(), wanted);
    else
      inputs[place] =
          writer.addFloats({llvm::cast<mlir::FloatAttr>(parameter).getValue().convertToFloat()}, wanted);
  };
  if (op.getKernel() == "TopK")
    take("k", 1);
  if (op.getKernel() == "Reshape" || op.getKernel() == "Expand")
    take("shape", 1);
  if (op.getKernel() == "NonMaxSuppression") {
    take("max_output_boxes_per_class", 2);
    take("iou_threshold", 3);
    take("score_threshold", 4);
  }
}

// Adds the operands of a Slice over all axes; the ends follow from starts, steps and the shape of the result.
void addSliceInputs(mlir::NamedAttrList &parameters, llvm::SmallVector<std::string> &inputs,
                    const std::string &base, ModelWriter &writer) {
  const auto take = [&](llvm::StringRef name) {
    return llvm::to_vector(llvm::cast<mlir::DenseI64ArrayAttr>(parameters.erase(name)).asArrayRef());
  };
  const auto starts = take("starts"), steps = take("steps"), sizes = take("shape");
  const auto axes = identityOrder(starts.size());
  llvm::SmallVector<int64_t> ends;
  for (const int64_t axis : axes)
    ends.push_back(endOfSlice(starts[axis], steps[axis], sizes[axis]));
  inputs.push_back(writer.addInts(starts, base + ".starts"));
  inputs.push_back(writer.addInts(ends, base + ".ends"));
  inputs.push_back(writer.addInts(axes, base + ".axes"));
  inputs.push_back(writer.addInts(steps, base + ".steps"));
}

// Writes an operator with a data-dependent result size (such as NonZero) into a tensor of the fixed size that
// the program reserves; elements behind the result are -1.
void writePadded(layer::HostOp op, int64_t axis, llvm::ArrayRef<std::string> inputs,
                 mlir::DictionaryAttr parameters, ModelWriter &writer) {
  const std::string base = writer.nameOf(op.getResult(0)), all = base + ".selected",
                    padded = base + ".padded";
  const auto reserved = graph::shapeOf(op.getResult(0));
  setAttributes(writer.addNode(op.getKernel(), nodeName(op.getLoc()), inputs, all), parameters);
  Tensor nothing = *Tensor::make(DType::i64, Shape(reserved.begin(), reserved.end()));
  std::ranges::fill(nothing.mutableAs<int64_t>(), -1);
  onnx::NodeProto &join =
      writer.addNode("Concat", padded, {all, writer.addConstant(nothing, base + ".nothing")}, padded);
  setAttribute(join, "axis", axis);
  const auto ints = [&](int64_t value, const char *suffix) { return writer.addInts({value}, base + suffix); };
  writer.addNode(
      "Slice", op,
      {padded, ints(0, ".begin"), ints(reserved[static_cast<size_t>(axis)], ".end"), ints(axis, ".axis")});
}

// The part of the model that a layer of the framework (the host's interpreter of ONNX) runs, with the inputs
// x0, x1, … and the outputs y0, y1, …
onnx::ModelProto partOf(layer::HostOp op) {
  onnx::ModelProto model;
  // Parsing cannot fail, because the compiler itself has printed this text.
  google::protobuf::TextFormat::ParseFromString(
      llvm::cast<mlir::StringAttr>(op.getParameters().get("model")).getValue().str(), &model);
  return model;
}

// The tensors that are the inputs of this part: quantised operands as integers, or as the numbers for which they
// stand if the part expects floats.
llvm::SmallVector<std::string> inputsOf(layer::HostOp op, const onnx::GraphProto &part, LayerWriting &to) {
  llvm::SmallVector<std::string> inputs;
  for (const auto [i, operand] : llvm::enumerate(op.getInputs())) {
    const bool expectsFloats =
        part.input(static_cast<int>(i)).type().tensor_type().elem_type() == onnx::TensorProto::FLOAT;
    const bool isQuantised = static_cast<bool>(layer::quantisedOf(layer::elementOf(operand)));
    inputs.push_back(isQuantised && expectsFloats ? to.plainReal(operand) : to.plain(operand));
  }
  return inputs;
}

// Writes the nodes of a layer that the framework runs.
void writeFramework(layer::HostOp op, LayerWriting &to, ModelWriter &writer) {
  onnx::ModelProto model = partOf(op);
  for (const onnx::OperatorSetIdProto &import : model.opset_import())
    if (!import.domain().empty())
      writer.useDomain(import.domain(), import.version());
  const std::string base = writer.nameOf(op.getResult(0));
  std::map<std::string, std::string> names;
  for (const auto &[i, input] : llvm::enumerate(inputsOf(op, model.graph(), to)))
    names[model.graph().input(static_cast<int>(i)).name()] = input;
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    names[model.graph().output(static_cast<int>(i)).name()] = writer.nameOf(op.getResult(i));
  // A result of a quantised type is returned as the numbers for which the integers stand.
  const mlir::Type element = layer::elementOf(op.getResult(0));
  const bool isQuantised = static_cast<bool>(layer::quantisedOf(element));
  const std::string reals = isQuantised ? writer.freshName(base + ".reals") : "";
  if (isQuantised)
    names[model.graph().output(0).name()] = reals;
  for (const onnx::TensorProto &initialiser : model.graph().initializer())
    names[initialiser.name()] = writer.addInitialiser(initialiser, base + "." + initialiser.name());
  Renaming renaming(writer, base, std::move(names));
  for (onnx::NodeProto &node : *model.mutable_graph()->mutable_node()) {
    renaming.renameIn(node);
    node.set_name(nodeName(op.getLoc()));
    writer.addNode(std::move(node));
  }
  if (isQuantised)
    writer.addNode("QuantizeLinear", op, {reals, to.scales(element), to.zeroPoint(element)});
}

// Writes a host layer as an ONNX node, which reads quantised operands in dequantised form.
void writeHost(layer::HostOp op, LayerWriting &to, ModelWriter &writer, OrderedNames &names) {
  if (op.getKernel() == llvm::StringRef(frameworkKernel)) {
    writeFramework(op, to, writer);
    for (const mlir::Value output : op.getOutputs())
      names.define(output, names.homeOf(output), writer.nameOf(output));
    return;
  }
  llvm::SmallVector<std::string> inputs;
  size_t next = 0;
  for (const bool isPresent : op.getPresent()) {
    const mlir::Value input = isPresent ? op.getInputs()[next++] : mlir::Value();
    if (!input)
      inputs.emplace_back();
    else if (layer::quantisedOf(layer::elementOf(input)))
      inputs.push_back(to.plainReal(input));
    else
      inputs.push_back(to.plain(input));
  }
  mlir::NamedAttrList others(op.getParameters());
  moveToInputs(op, others, inputs, writer);
  if (op.getKernel() == "Slice")
    addSliceInputs(others, inputs, writer.nameOf(op.getResult(0)), writer);
  const mlir::DictionaryAttr parameters = others.getDictionary(op.getContext());
  if (const auto axis = findHostOperator(op.getKernel())->openAxis)
    writePadded(op, *axis, inputs, parameters, writer);
  else
    setAttributes(writer.addNode(op.getKernel(), op, inputs), parameters);
  for (const mlir::Value output : op.getOutputs())
    names.define(output, names.homeOf(output), writer.nameOf(output));
}

} // namespace

bool writeLayer(mlir::Operation *operation, ModelWriter &writer, OrderedNames &names, OnnxForm form) {
  names.nameResults(operation);
  if (!llvm::isa<layer::LayerDialect>(operation->getDialect()))
    return false;
  LayerWriting to(operation, writer, names, form);
  if (auto host = llvm::dyn_cast<layer::HostOp>(operation)) {
    writeHost(host, to, writer, names);
    return true;
  }
  for (const auto family : {writeProducts, writeElementwise, writeImages, writeRows, writeMovement})
    if (family(operation, to))
      return true;
  return false;
}

} // namespace tilerig::compiler
