#include "compiler/Export/NodeWriter.h"

#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/Types.h"

#include <fmt/core.h>

namespace tilerig::compiler {

void setAttribute(onnx::NodeProto &node, const std::string &name, int64_t value) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}
void setAttribute(onnx::NodeProto &node, const std::string &name, float value) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
}
void setAttribute(onnx::NodeProto &node, const std::string &name, llvm::StringRef value) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(value.str());
}
void setAttribute(onnx::NodeProto &node, const std::string &name, llvm::ArrayRef<int64_t> values) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  attribute.mutable_ints()->Add(values.begin(), values.end());
}
void setAttribute(onnx::NodeProto &node, const std::string &name, llvm::ArrayRef<float> values) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOATS);
  attribute.mutable_floats()->Add(values.begin(), values.end());
}
void setAttribute(onnx::NodeProto &node, const std::string &name, mlir::ArrayAttr texts) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRINGS);
  for (const auto text : texts.getAsRange<mlir::StringAttr>())
    attribute.add_strings(text.str());
}

static void fill(onnx::TensorProto &proto, const Tensor &tensor) {
  proto.set_data_type(onnxNumber(tensor.dtype()));
  for (int64_t size : tensor.shape())
    proto.add_dims(size);
  proto.set_raw_data(tensor.bytes().data(), tensor.sizeBytes());
}
void setAttribute(onnx::NodeProto &node, const std::string &name, const Tensor &value) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::TENSOR);
  fill(*attribute.mutable_t(), value);
}

std::string ModelWriter::freshName(const std::string &wanted) {
  const std::string base = wanted.empty() ? "value" : wanted;
  for (std::string name = base;; name = fmt::format("{}_{}", base, taken[base]++))
    if ((name == base || !ofModel.contains(name)) && taken.try_emplace(name, 1).second)
      return name;
}

void ModelWriter::setName(mlir::Value value, const std::string &name) {
  names[value] = name;
  taken.try_emplace(name, 1);
}

std::string ModelWriter::nameOf(mlir::Value value) {
  if (!value)
    return "";
  std::string &name = names[value];
  if (name.empty()) {
    const auto tensor = graph::tensorOrigin(value);
    const std::string wanted = tensor ? tensor->name : nodeName(value.getLoc()) + ".value";
    // A tensor with permuted axes must not have the name of the model's tensor, whose axes are in the model's
    // order.
    name = freshName(tensor && !tensor->order.empty() ? wanted + ".permuted" : wanted);
  }
  return name;
}

void ModelWriter::addInitialiser(const Tensor &tensor, const std::string &name) {
  if (data == ConstantStorage::omitted)
    return;
  onnx::TensorProto &initialiser = *graph.add_initializer();
  initialiser.set_name(name);
  fill(initialiser, tensor);
}

DType storedAs(mlir::Type element) {
  const auto quantised = layer::quantisedOf(element);
  if (!quantised)
    return *dtypeOfElement(element);
  return quantised.getStorageTypeIntegralWidth() == 16 ? DType::i16
         : quantised.isSigned()                        ? DType::i8
                                                       : DType::u8;
}

void ModelWriter::addInitialiserFrom(std::function<Tensor()> elements, mlir::RankedTensorType type,
                                     const std::string &name) {
  if (data == ConstantStorage::omitted)
    return;
  const DType stored = storedAs(type.getElementType());
  if (data == ConstantStorage::internal || type.getNumElements() * sizeBytes(stored) < viewFromBytes)
    return addInitialiser(elements(), name);
  external.push_back(addExternal(graph, name, stored, Shape(type.getShape().begin(), type.getShape().end()),
                                 std::move(elements)));
}

std::string ModelWriter::addInitialiser(const onnx::TensorProto &tensor, const std::string &wanted) {
  const std::string name = freshName(wanted);
  if (data == ConstantStorage::omitted)
    return name;
  onnx::TensorProto &initialiser = *graph.add_initializer();
  initialiser = tensor;
  initialiser.set_name(name);
  return name;
}

std::string ModelWriter::addConstant(const Tensor &tensor, const std::string &wanted) {
  const std::string name = freshName(wanted);
  addInitialiser(tensor, name);
  return name;
}

std::string ModelWriter::addInts(llvm::ArrayRef<int64_t> values, const std::string &wanted) {
  Tensor tensor(DType::i64, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.mutableAs<int64_t>().begin());
  return addConstant(tensor, wanted);
}

std::string ModelWriter::addInt(int64_t value, const std::string &wanted) {
  return addConstant(Tensor::scalar(value), wanted);
}
std::string ModelWriter::addFloats(llvm::ArrayRef<float> values, const std::string &wanted) {
  Tensor tensor(DType::f32, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.mutableAs<float>().begin());
  return addConstant(tensor, wanted);
}

onnx::NodeProto &ModelWriter::addNode(llvm::StringRef type, const std::string &name,
                                      llvm::ArrayRef<std::string> inputs, const std::string &output) {
  onnx::NodeProto &node = *graph.add_node();
  node.set_op_type(type.str());
  node.set_name(name);
  while (!inputs.empty() && inputs.back().empty())
    inputs = inputs.drop_back();
  for (const std::string &input : inputs)
    node.add_input(input);
  if (!output.empty())
    node.add_output(output);
  return node;
}

onnx::NodeProto &ModelWriter::addNode(llvm::StringRef type, mlir::Operation *operation,
                                      llvm::ArrayRef<std::string> inputs) {
  onnx::NodeProto &node = addNode(type, nodeName(operation->getLoc()), inputs, "");
  for (mlir::Value result : operation->getResults())
    node.add_output(nameOf(result));
  return node;
}

} // namespace tilerig::compiler
