#include "tests/support/WideModel.h"

#include "isa/Base/Tensor/TensorProto.h"
#include "tests/support/OnnxModel.h"

#include <cmath>
#include <numbers>
#include <set>

namespace tilerig::test {

namespace {

constexpr int f32 = onnx::TensorProto::FLOAT, f64 = onnx::TensorProto::DOUBLE;

// The exact double value of a float constant that stands for a known number, such as the root of two.
double sharpened(float value) {
  using std::numbers::pi, std::numbers::sqrt2;
  for (double exact : {sqrt2, 1 / sqrt2, std::sqrt(2 / pi), 1.0 / 3, 1.0 / 6})
    if (value == static_cast<float>(exact))
      return exact;
  return static_cast<double>(value);
}

Status widenTensor(onnx::TensorProto &proto, const std::string &folder) {
  if (proto.data_type() != f32)
    return success();
  const std::string bytes = proto.SerializeAsString();
  TILERIG_TRY(const NamedTensor read,
              parseTensorProto(std::as_bytes(std::span(bytes)), nullptr, folder, proto.name()));
  const auto from = read.tensor.as<float>();
  // Only a tensor whose elements are all equal is treated as a known constant: a single weight may have the
  // same value by chance.
  const bool isOneNumber =
      std::count(from.begin(), from.end(), from.empty() ? 0 : from[0]) == std::ssize(from);
  Tensor wide(DType::f64, read.tensor.shape());
  std::transform(from.begin(), from.end(), wide.mutableAs<double>().begin(),
                 [&](float value) { return isOneNumber ? sharpened(value) : static_cast<double>(value); });
  const std::string name = proto.name();
  proto.Clear();
  proto.set_name(name);
  describe(wide, proto);
  return success();
}

void widenType(onnx::ValueInfoProto &info) {
  if (info.type().has_tensor_type() && info.type().tensor_type().elem_type() == f32)
    info.mutable_type()->mutable_tensor_type()->set_elem_type(f64);
}

// Turns float attributes of a Constant node into a float64 tensor.
void widenConstant(onnx::NodeProto &node) {
  for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
    if (attribute.name() != "value_float" && attribute.name() != "value_floats")
      continue;
    Tensor tensor(DType::f64, attribute.name() == "value_float" ? Shape{} : Shape{attribute.floats_size()});
    if (attribute.name() == "value_float")
      tensor.mutableAs<double>()[0] = sharpened(attribute.f());
    else
      std::copy(attribute.floats().begin(), attribute.floats().end(), tensor.mutableAs<double>().begin());
    attribute.Clear();
    attribute.set_name("value");
    attribute.set_type(onnx::AttributeProto::TENSOR);
    describe(tensor, *attribute.mutable_t());
  }
}

void widenTypes(onnx::NodeProto &node) {
  if (node.op_type() == "Constant")
    widenConstant(node);
  if (node.op_type() == "ConstantOfShape" && node.attribute_size() == 0)
    setTensor(node, "value", Tensor::of<double>({1}, {0}));
  for (onnx::AttributeProto &attribute : *node.mutable_attribute())
    if ((attribute.name() == "to" || attribute.name() == "dtype") && attribute.i() == f32)
      attribute.set_i(f64);
}

Status widenGraph(onnx::GraphProto &graph, const std::string &folder) {
  std::set<std::string> floats; // values that ONNX requires in float32 whatever the type of the data
  for (const onnx::NodeProto &node : graph.node()) {
    const std::string &op = node.op_type();
    if (op.find("Quantize") != op.npos || op.starts_with("QLinear"))
      return unsupported(node.name(), "a quantised model cannot be converted to double");
    const int scales = op == "Upsample" || (op == "Resize" && node.input_size() == 2) ? 1
                       : op == "Resize"                                               ? 2
                                                                                      : -1;
    if (scales > 0 && scales < node.input_size())
      floats.insert(node.input(scales));
  }
  for (onnx::TensorProto &initialiser : *graph.mutable_initializer())
    if (!floats.contains(initialiser.name()))
      TILERIG_CHECK_OK(widenTensor(initialiser, folder));
  for (auto *infos : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
    for (onnx::ValueInfoProto &info : *infos)
      if (!floats.contains(info.name()))
        widenType(info);
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    if (node.output_size() > 0 && floats.contains(node.output(0)))
      continue;
    widenTypes(node);
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_t())
        TILERIG_CHECK_OK(widenTensor(*attribute.mutable_t(), folder));
      if (attribute.has_g())
        TILERIG_CHECK_OK(widenGraph(*attribute.mutable_g(), folder));
    }
  }
  return success();
}

} // namespace

Status widen(onnx::ModelProto &model, const std::string &folder) {
  return widenGraph(*model.mutable_graph(), folder);
}

} // namespace tilerig::test
