#include "models/Quantisation/Rewriter.h"

#include "isa/Base/Tensor/TensorProto.h"

#include <fmt/core.h>

namespace tilerig::models {

namespace {

constexpr int oldestOpset = 13; // first opset with per-channel scales

Tensor scalarOf(DType type, int32_t value) {
  Tensor tensor(type, {});
  if (type == DType::u8)
    tensor.mutableAs<uint8_t>()[0] = static_cast<uint8_t>(value);
  else
    tensor.mutableAs<int8_t>()[0] = static_cast<int8_t>(value);
  return tensor;
}

const onnx::AttributeProto *find(const onnx::NodeProto &node, std::string_view name) {
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

bool isSet(const onnx::NodeProto &node, std::string_view name) {
  const auto *attribute = find(node, name);
  return attribute && attribute->i() != 0;
}

bool isOne(const onnx::NodeProto &node, std::string_view name) {
  const auto *attribute = find(node, name);
  return !attribute || attribute->f() == 1;
}

// The product of a scalar and a tensor of per-channel scales.
Tensor times(float scale, const Tensor &scales, const Shape &shape) {
  Tensor result(DType::f32, shape);
  std::transform(scales.as<float>().begin(), scales.as<float>().end(), result.mutableAs<float>().begin(),
                 [&](float each) { return scale * each; });
  return result;
}

Tensor transposed(const Tensor &matrix) {
  Tensor result(matrix.dtype(), {matrix.shape()[1], matrix.shape()[0]});
  const auto rows = static_cast<size_t>(matrix.shape()[0]), columns = static_cast<size_t>(matrix.shape()[1]);
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c)
      result.mutableAs<int8_t>()[c * rows + r] = matrix.as<int8_t>()[r * columns + c];
  return result;
}

// The shape that a tensor with one number per output channel must have to broadcast with the product's
// result.
Shape channelShape(const Product &product) {
  Shape shape = {product.weights.scales.shape()[0]};
  if (product.isConv)
    shape.insert(shape.end(), product.weights.values.rank() - 2, 1);
  return shape;
}

} // namespace

Rewriter::Rewriter(const onnx::ModelProto &from, const Observations &observations,
                   const QuantiseOptions &options)
    : from(from), observations(observations), options(options), to(from) {
  for (const onnx::TensorProto &initialiser : from.graph().initializer())
    constants.emplace(initialiser.name(), &initialiser);
  for (const onnx::NodeProto &node : from.graph().node())
    for (const std::string &input : node.input())
      readers[input].push_back(&node);
  for (const onnx::ValueInfoProto &output : from.graph().output())
    readers[output.name()].push_back(nullptr);
  to.mutable_graph()->clear_node();
}

Result<onnx::ModelProto> Rewriter::rewrite() {
  for (const onnx::NodeProto &node : from.graph().node()) {
    if (fused.contains(&node))
      continue;
    TILERIG_TRY(const std::optional<Product> product, productOf(node));
    if (product)
      write(*product);
    else if (options.form == QuantisedForm::qdq)
      writeQdqOperands(node);
    else
      *to.mutable_graph()->add_node() = node;
  }
  dropUnread();
  return std::move(to);
}

Result<std::optional<Tensor>> Rewriter::constant(const std::string &name) const {
  const auto entry = constants.find(name);
  if (entry == constants.end())
    return std::optional<Tensor>();
  const std::string bytes = entry->second->SerializeAsString();
  TILERIG_TRY(NamedTensor read, parseTensorProto(std::as_bytes(std::span(bytes)), nullptr, "", name));
  return std::optional(std::move(read.tensor));
}

bool Rewriter::isObservedFloat(const std::string &name) const {
  const auto entry = observations.find(name);
  return entry != observations.end() && entry->second.type == DType::f32;
}

const onnx::NodeProto *Rewriter::onlyActivation(const std::string &value) const {
  const auto entry = readers.find(value);
  if (entry == readers.end() || entry->second.size() != 1 || !entry->second[0])
    return nullptr;
  const std::string &op = entry->second[0]->op_type();
  return op == "Relu" || op == "Clip" ? entry->second[0] : nullptr;
}

Result<std::optional<Product>> Rewriter::productOf(const onnx::NodeProto &node) const {
  using None = std::optional<Product>;
  const bool isConv = node.op_type() == "Conv", isGemm = node.op_type() == "Gemm";
  if ((!isConv && !isGemm && node.op_type() != "MatMul") || !isObservedFloat(node.input(0)))
    return None();
  TILERIG_TRY(const auto weights, constant(node.input(1)));
  if (!weights || weights->dtype() != DType::f32 || (!isConv && weights->rank() != 2))
    return None();
  if (isGemm && (isSet(node, "transA") || !isOne(node, "alpha") || !isOne(node, "beta")))
    return None();
  Product product;
  product.node = &node;
  product.input = node.input(0);
  product.output = node.output(0);
  product.isConv = isConv;
  product.isTransposed = isGemm && isSet(node, "transB");
  product.axis = isConv || product.isTransposed ? 0 : 1;
  product.weights = quantiseWeights(*weights, product.axis, options.weightBits);
  if (node.input_size() > 2 && !node.input(2).empty()) {
    TILERIG_TRY(product.bias, constant(node.input(2)));
    if (!product.bias || product.bias->shape() != product.weights.scales.shape())
      return None();
  }
  return std::optional(std::move(product));
}

std::string Rewriter::add(const std::string &op, const std::vector<std::string> &inputs,
                          const std::string &output, DType type, const Shape &shape,
                          const Attributes &attributes) {
  onnx::NodeProto &node = *to.mutable_graph()->add_node();
  node.set_op_type(op);
  node.set_name(op + " " + output);
  for (const std::string &input : inputs)
    node.add_input(input);
  node.add_output(output);
  for (const onnx::AttributeProto &attribute : attributes)
    *node.add_attribute() = attribute;
  onnx::ValueInfoProto &info = *to.mutable_graph()->add_value_info();
  info.set_name(output);
  auto &declared = *info.mutable_type()->mutable_tensor_type();
  declared.set_elem_type(onnxNumber(type));
  declared.mutable_shape();
  for (int64_t size : shape)
    declared.mutable_shape()->add_dim()->set_dim_value(size);
  return output;
}

std::string Rewriter::initialiser(const std::string &name, const Tensor &tensor) {
  if (!written.insert(name).second)
    return name;
  onnx::TensorProto &proto = *to.mutable_graph()->add_initializer();
  proto.set_name(name);
  proto.set_data_type(onnxNumber(tensor.dtype()));
  for (int64_t size : tensor.shape())
    proto.add_dims(size);
  proto.set_raw_data(tensor.bytes().data(), tensor.sizeBytes());
  return name;
}

std::string Rewriter::scaleOf(const std::string &value) {
  const Parameters parameters = parametersOf(observations.at(value), options.activations);
  return initialiser(value + "/scale", Tensor::scalar(parameters.scale));
}

std::string Rewriter::zeroPointOf(const std::string &value) {
  const Parameters parameters = parametersOf(observations.at(value), options.activations);
  return initialiser(value + "/zero", scalarOf(options.activations, parameters.zeroPoint));
}

std::string Rewriter::quantised(const std::string &value) {
  auto [known, isNew] = quantisedNames.try_emplace(value, value + "/quantised");
  if (isNew)
    add("QuantizeLinear", {value, scaleOf(value), zeroPointOf(value)}, known->second, options.activations,
        observations.at(value).shape);
  return known->second;
}

std::string Rewriter::dequantised(const std::string &value) {
  auto [known, isNew] = dequantisedNames.try_emplace(value, value + "/dequantised");
  if (isNew) {
    const std::string integers = quantised(value);
    add("DequantizeLinear", {integers, scaleOf(value), zeroPointOf(value)}, known->second, DType::f32,
        observations.at(value).shape);
  }
  return known->second;
}

Rewriter::Attributes Rewriter::attributesOf(const onnx::NodeProto &node) const {
  return {node.attribute().begin(), node.attribute().end()};
}

void Rewriter::write(const Product &product) {
  if (options.form == QuantisedForm::qdq)
    writeQdq(product);
  else if (options.form == QuantisedForm::dynamic)
    writeDynamic(product);
  else if (product.isConv)
    writeQLinearConv(product);
  else if (product.bias || product.isTransposed)
    writeMatMulInteger(product);
  else
    writeQLinearMatMul(product);
}

void Rewriter::writeQdq(const Product &product) {
  const auto &[values, scales] = product.weights;
  const std::string &name = product.node->input(1);
  const std::string weights =
      add("DequantizeLinear",
          {initialiser(name + "/quantised", values), initialiser(name + "/scale", scales),
           initialiser(name + "/zero", Tensor(DType::i8, scales.shape()))},
          product.output + "/weights", DType::f32, values.shape(),
          {attribute("axis", static_cast<int64_t>(product.axis))});
  onnx::NodeProto node = *product.node;
  node.set_input(1, weights);
  if (product.bias) {
    const float scale = parametersOf(observations.at(product.input), options.activations).scale;
    const std::string bias = product.output + "/bias";
    node.set_input(2, add("DequantizeLinear",
                          {initialiser(bias + "/quantised", quantiseBias(*product.bias, scale, scales)),
                           initialiser(bias + "/scale", times(scale, scales, scales.shape()))},
                          bias, DType::f32, product.bias->shape(), {attribute("axis", int64_t{0})}));
  }
  node.set_input(0, dequantised(product.input));
  *to.mutable_graph()->add_node() = node;
}

// Copies a node that is not itself quantised as a product (convolution or matrix product). If it combines
// values (such as Add and Concat) or pools them, its float operands are quantised and dequantised again.
void Rewriter::writeQdqOperands(const onnx::NodeProto &node) {
  static const std::set<std::string> joins = {"Add",     "Mul",         "Concat",           "MatMul",
                                              "MaxPool", "AveragePool", "GlobalAveragePool"};
  onnx::NodeProto copy = node;
  if (joins.contains(node.op_type()))
    for (std::string &input : *copy.mutable_input())
      if (isObservedFloat(input))
        input = dequantised(input);
  *to.mutable_graph()->add_node() = copy;
}

// A Relu or Clip that follows the convolution is fused into it: the output is quantised with the range
// observed behind that activation, so saturation clips the values that the activation would clip.
void Rewriter::writeQLinearConv(const Product &product) {
  const onnx::NodeProto *activation = onlyActivation(product.output);
  const std::string output = activation ? activation->output(0) : product.output;
  if (activation)
    fused.insert(activation);
  const auto &[values, scales] = product.weights;
  const std::string &name = product.node->input(1);
  std::vector<std::string> inputs = {quantised(product.input),
                                     scaleOf(product.input),
                                     zeroPointOf(product.input),
                                     initialiser(name + "/quantised", values),
                                     initialiser(name + "/scale", scales),
                                     initialiser(name + "/zero", Tensor(DType::i8, scales.shape())),
                                     scaleOf(output),
                                     zeroPointOf(output)};
  const float scale = parametersOf(observations.at(product.input), options.activations).scale;
  if (product.bias)
    inputs.push_back(
        initialiser(product.output + "/bias/quantised", quantiseBias(*product.bias, scale, scales)));
  const Shape &shape = observations.at(output).shape;
  quantisedNames[output] = add("QLinearConv", inputs, output + "/quantised", options.activations, shape,
                               attributesOf(*product.node));
  add("DequantizeLinear", {quantisedNames[output], scaleOf(output), zeroPointOf(output)}, output, DType::f32,
      shape);
}

void Rewriter::writeQLinearMatMul(const Product &product) {
  const auto &[values, scales] = product.weights;
  const std::string &name = product.node->input(1), &output = product.output;
  const std::vector<std::string> inputs = {quantised(product.input),
                                           scaleOf(product.input),
                                           zeroPointOf(product.input),
                                           initialiser(name + "/quantised", values),
                                           initialiser(name + "/scale", scales),
                                           initialiser(name + "/zero", Tensor(DType::i8, scales.shape())),
                                           scaleOf(output),
                                           zeroPointOf(output)};
  const Shape &shape = observations.at(output).shape;
  quantisedNames[output] = add("QLinearMatMul", inputs, output + "/quantised", options.activations, shape);
  add("DequantizeLinear", {quantisedNames[output], scaleOf(output), zeroPointOf(output)}, output, DType::f32,
      shape);
}

void Rewriter::writeMatMulInteger(const Product &product) {
  const auto &[values, scales] = product.weights;
  const std::string &output = product.output;
  const Shape &shape = observations.at(output).shape;
  const std::string weights =
      initialiser(product.node->input(1) + (product.isTransposed ? "/transposed" : "/quantised"),
                  product.isTransposed ? transposed(values) : values);
  std::string sum = add("MatMulInteger", {quantised(product.input), weights, zeroPointOf(product.input)},
                        output + "/sum", DType::i32, shape);
  const float scale = parametersOf(observations.at(product.input), options.activations).scale;
  if (product.bias)
    sum =
        add("Add", {sum, initialiser(output + "/bias/quantised", quantiseBias(*product.bias, scale, scales))},
            output + "/biased", DType::i32, shape);
  const std::string real = add("Cast", {sum}, output + "/real", DType::f32, shape,
                               {attribute("to", int64_t{onnxNumber(DType::f32)})});
  add("Mul", {real, initialiser(output + "/factor", times(scale, scales, scales.shape()))}, output,
      DType::f32, shape);
}

// Weights of convolutions are converted to unsigned, because ConvInteger is often available only for unsigned
// weights.
void Rewriter::writeDynamic(const Product &product) {
  const auto &[values, scales] = product.weights;
  const std::string &output = product.output, &x = product.input;
  const Shape &shape = observations.at(output).shape;
  if (quantisedNames.try_emplace(x, x + "/quantised").second) {
    add("DynamicQuantizeLinear", {x}, x + "/quantised", DType::u8, observations.at(x).shape);
    onnx::GraphProto &graph = *to.mutable_graph();
    for (const auto &[suffix, type] : {std::pair{"/scale", DType::f32}, {"/zero", DType::u8}}) {
      graph.mutable_node(graph.node_size() - 1)->add_output(x + suffix);
      onnx::ValueInfoProto &info = *graph.add_value_info();
      info.set_name(x + suffix);
      info.mutable_type()->mutable_tensor_type()->set_elem_type(onnxNumber(type));
      info.mutable_type()->mutable_tensor_type()->mutable_shape();
    }
  }
  Tensor weights = product.isTransposed ? transposed(values) : values;
  Tensor zero = scalarOf(DType::i8, 0);
  if (product.isConv) {
    Tensor moved(DType::u8, values.shape());
    std::transform(values.as<int8_t>().begin(), values.as<int8_t>().end(), moved.mutableAs<uint8_t>().begin(),
                   [](int8_t value) { return static_cast<uint8_t>(value + 128); });
    weights = moved;
    zero = scalarOf(DType::u8, 128);
  }
  const std::string sum =
      add(product.isConv ? "ConvInteger" : "MatMulInteger",
          {x + "/quantised", initialiser(output + "/weights", weights), x + "/zero",
           initialiser(output + "/weights/zero", zero)},
          output + "/sum", DType::i32, shape, product.isConv ? attributesOf(*product.node) : Attributes());
  const std::string real = add("Cast", {sum}, output + "/real", DType::f32, shape,
                               {attribute("to", int64_t{onnxNumber(DType::f32)})});
  const Shape channels = channelShape(product);
  const std::string factor =
      add("Mul", {x + "/scale", initialiser(output + "/weights/scale", *scales.reshaped(channels))},
          output + "/factor", DType::f32, channels);
  if (!product.bias) {
    add("Mul", {real, factor}, output, DType::f32, shape);
    return;
  }
  const std::string scaled = add("Mul", {real, factor}, output + "/scaled", DType::f32, shape);
  add("Add", {scaled, initialiser(output + "/bias", *product.bias->reshaped(channels))}, output, DType::f32,
      shape);
}

// Removes float nodes whose results are not read any more after quantisation, and weights without a reader.
void Rewriter::dropUnread() {
  onnx::GraphProto &graph = *to.mutable_graph();
  std::set<std::string> read;
  for (const onnx::ValueInfoProto &output : graph.output())
    read.insert(output.name());
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  for (int i = graph.node_size(); i-- > 0;) {
    const onnx::NodeProto &node = graph.node(i);
    if (std::ranges::none_of(node.output(), [&](const std::string &name) { return read.contains(name); }))
      continue;
    read.insert(node.input().begin(), node.input().end());
    // A subgraph may read values of the outer graph, so the nodes that compute such values are kept, too.
    for (const onnx::AttributeProto &attribute : node.attribute())
      for (const onnx::NodeProto &inner : attribute.g().node())
        read.insert(inner.input().begin(), inner.input().end());
    *nodes.Add() = node;
  }
  std::reverse(nodes.pointer_begin(), nodes.pointer_end());
  graph.mutable_node()->Swap(&nodes);
  google::protobuf::RepeatedPtrField<onnx::TensorProto> kept;
  for (onnx::TensorProto &initialiser : *graph.mutable_initializer())
    if (read.contains(initialiser.name()))
      *kept.Add() = std::move(initialiser);
  graph.mutable_initializer()->Swap(&kept);
}

Result<onnx::ModelProto> quantise(const onnx::ModelProto &model, const Observations &observations,
                                  const QuantiseOptions &options) {
  for (const onnx::OperatorSetIdProto &set : model.opset_import())
    if (set.domain().empty() && set.version() < oldestOpset)
      return unsupported("model",
                         fmt::format("operator set {} does not support a scale per channel", set.version()),
                         fmt::format("export the model with operator set {} or newer", oldestOpset));
  if (options.form == QuantisedForm::dynamic && options.activations != DType::u8)
    return usageError("--activations", "--form dynamic supports only uint8");
  return Rewriter(model, observations, options).rewrite();
}

} // namespace tilerig::models
