#include "tests/support/WideModel.h"

#include "isa/Base/Tensor/TensorProto.h"
#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"
#include "tests/support/OnnxModel.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace tilerig::test {

namespace {

constexpr int f32 = onnx::TensorProto::FLOAT;

// The exact double value of a float constant that stands for a known number, such as the root of two.
double sharpened(float value) {
  using std::numbers::pi, std::numbers::sqrt2;
  for (double exact : {sqrt2, 1 / sqrt2, std::sqrt(2 / pi), 1.0 / 3, 1.0 / 6})
    if (value == static_cast<float>(exact))
      return exact;
  return static_cast<double>(value);
}

Tensor tensorOf(DType type, Shape shape, const std::vector<double> &values) {
  Tensor tensor(type, std::move(shape));
  if (type == DType::f16)
    std::ranges::transform(values, tensor.mutableAs<Float16>().begin(),
                           [](double value) { return Float16{fp16FromDouble(value).bits}; });
  else if (type == DType::bf16)
    std::ranges::transform(values, tensor.mutableAs<BFloat16>().begin(),
                           [](double value) { return BFloat16{bf16FromDouble(value).bits}; });
  else
    std::ranges::copy(values, tensor.mutableAs<double>().begin());
  return tensor;
}

// Converts the floats of an ONNX model to another float type.
class Conversion {
public:
  Conversion(const std::string &folder, DType type) : folder(folder), type(type) {}

  Status convert(onnx::GraphProto &graph) const;

private:
  Status convertTensor(onnx::TensorProto &proto) const;
  void convertType(onnx::ValueInfoProto &info) const;
  void convertConstant(onnx::NodeProto &node) const;
  void convertTypes(onnx::NodeProto &node) const;

  const std::string &folder;
  DType type;
};

Status Conversion::convertTensor(onnx::TensorProto &proto) const {
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
  std::vector<double> values(from.begin(), from.end());
  if (isOneNumber)
    std::ranges::transform(from, values.begin(), sharpened);
  const std::string name = proto.name();
  proto.Clear();
  proto.set_name(name);
  describe(tensorOf(type, read.tensor.shape(), values), proto);
  return success();
}

void Conversion::convertType(onnx::ValueInfoProto &info) const {
  if (info.type().has_tensor_type() && info.type().tensor_type().elem_type() == f32)
    info.mutable_type()->mutable_tensor_type()->set_elem_type(onnxNumber(type));
}

// Turns float attributes of a Constant node into a tensor.
void Conversion::convertConstant(onnx::NodeProto &node) const {
  for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
    if (attribute.name() != "value_float" && attribute.name() != "value_floats")
      continue;
    const bool isScalar = attribute.name() == "value_float";
    const std::vector<double> values =
        isScalar ? std::vector<double>{sharpened(attribute.f())}
                 : std::vector<double>(attribute.floats().begin(), attribute.floats().end());
    const Tensor tensor = tensorOf(type, isScalar ? Shape{} : Shape{attribute.floats_size()}, values);
    attribute.Clear();
    attribute.set_name("value");
    attribute.set_type(onnx::AttributeProto::TENSOR);
    describe(tensor, *attribute.mutable_t());
  }
}

void Conversion::convertTypes(onnx::NodeProto &node) const {
  if (node.op_type() == "Constant")
    convertConstant(node);
  if (node.op_type() == "ConstantOfShape" && node.attribute_size() == 0)
    setTensor(node, "value", tensorOf(type, {1}, {0}));
  for (onnx::AttributeProto &attribute : *node.mutable_attribute())
    if ((attribute.name() == "to" || attribute.name() == "dtype") && attribute.i() == f32)
      attribute.set_i(onnxNumber(type));
}

Status Conversion::convert(onnx::GraphProto &graph) const {
  std::set<std::string> floats; // scales of Resize and Upsample, which ONNX requires in float32
  for (const onnx::NodeProto &node : graph.node()) {
    const std::string &op = node.op_type();
    if (op.find("Quantize") != op.npos || op.starts_with("QLinear"))
      return unsupported(node.name(), "a quantised model cannot be converted to another float type");
    const int scales = op == "Upsample" || (op == "Resize" && node.input_size() == 2) ? 1
                       : op == "Resize"                                               ? 2
                                                                                      : -1;
    if (scales > 0 && scales < node.input_size())
      floats.insert(node.input(scales));
  }
  for (onnx::TensorProto &initialiser : *graph.mutable_initializer())
    if (!floats.contains(initialiser.name()))
      TILERIG_CHECK_OK(convertTensor(initialiser));
  for (auto *infos : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
    for (onnx::ValueInfoProto &info : *infos)
      if (!floats.contains(info.name()))
        convertType(info);
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    if (node.output_size() > 0 && floats.contains(node.output(0)))
      continue;
    convertTypes(node);
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_t())
        TILERIG_CHECK_OK(convertTensor(*attribute.mutable_t()));
      if (attribute.has_g())
        TILERIG_CHECK_OK(convert(*attribute.mutable_g()));
    }
  }
  return success();
}

} // namespace

Status widen(onnx::ModelProto &model, const std::string &folder) {
  return Conversion(folder, DType::f64).convert(*model.mutable_graph());
}

Status narrow(onnx::ModelProto &model, const std::string &folder, DType type) {
  return Conversion(folder, type).convert(*model.mutable_graph());
}

} // namespace tilerig::test
