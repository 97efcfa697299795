#include "verify/Bisect/SmallerModels.h"

#include "isa/Base/Tensor/TakenElements.h"
#include "isa/Base/Tensor/TensorProto.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

Result<Tensor> tensorOf(const onnx::TensorProto &constant, const std::string &folder = {}) {
  std::string bytes;
  constant.SerializeToString(&bytes);
  TILERIG_TRY(NamedTensor named,
              parseTensorProto(std::as_bytes(std::span(bytes)), nullptr, folder, constant.name()));
  return std::move(named.tensor);
}

void store(const Tensor &tensor, onnx::TensorProto &constant) {
  constant = asConstant(std::string(constant.name()), tensor);
}

// Whether elements have a type that NumPy and this program store as the ONNX type says: types of 4 bits and floats of 8
// bits are left as they are.
bool isPlain(const onnx::TensorProto &constant) { return dtypeOfOnnx(constant.data_type()).has_value(); }

bool isListOfIntegers(DType type, size_t rank) {
  return rank == 1 && (type == DType::i64 || type == DType::i32);
}

Tensor cut(const Tensor &from, int64_t size, int64_t smaller) {
  Shape shape = from.shape();
  std::ranges::replace(shape, size, smaller);
  return takenByStrides(from, shape, 0, from.strides());
}

template <class T>
Tensor withNumber(Tensor list, int64_t number, int64_t other) {
  for (T &element : list.mutableAs<T>())
    if (element == static_cast<T>(number))
      element = static_cast<T>(other);
  return list;
}

Tensor cutOrReplaced(const Tensor &from, int64_t size, int64_t smaller) {
  if (!isListOfIntegers(from.dtype(), from.rank()))
    return cut(from, size, smaller);
  return from.dtype() == DType::i64 ? withNumber<int64_t>(from, size, smaller)
                                    : withNumber<int32_t>(from, size, smaller);
}

bool isFloat(DType type) {
  return type == DType::f32 || type == DType::f64 || type == DType::f16 || type == DType::bf16;
}

uint64_t countValues(const Tensor &tensor) {
  const std::span<const std::byte> bytes = tensor.bytes();
  const size_t width = tensor.elementCount() ? bytes.size() / tensor.elementCount() : 1;
  uint64_t count = 0;
  for (size_t at = 0; at < bytes.size(); at += width)
    count +=
        std::ranges::any_of(bytes.subspan(at, width), [](std::byte byte) { return byte != std::byte(0); });
  return count;
}

} // namespace

onnx::TensorProto asConstant(const std::string &name, const Tensor &tensor) {
  onnx::TensorProto constant;
  constant.set_name(name);
  constant.set_data_type(onnxNumber(tensor.dtype()));
  for (const int64_t size : tensor.shape())
    constant.add_dims(size);
  const std::span<const std::byte> bytes = tensor.bytes();
  constant.set_raw_data(bytes.data(), bytes.size());
  return constant;
}

static Status embed(onnx::TensorProto &constant, const std::string &folder) {
  if (constant.data_location() != onnx::TensorProto::EXTERNAL)
    return success();
  TILERIG_TRY(const Tensor tensor, tensorOf(constant, folder));
  store(tensor, constant);
  return success();
}

static Status embedIn(onnx::GraphProto &graph, const std::string &folder) {
  for (onnx::TensorProto &constant : *graph.mutable_initializer())
    TILERIG_CHECK_OK(embed(constant, folder));
  for (onnx::NodeProto &node : *graph.mutable_node())
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_t())
        TILERIG_CHECK_OK(embed(*attribute.mutable_t(), folder));
      if (attribute.has_g())
        TILERIG_CHECK_OK(embedIn(*attribute.mutable_g(), folder));
    }
  return success();
}

Status embedData(onnx::ModelProto &model, const std::string &folder) {
  return embedIn(*model.mutable_graph(), folder);
}

namespace {

// The first input of a node with the type and shape of its first output; empty if there is none.
std::string likeOutput(const onnx::NodeProto &node, const TensorMap &values) {
  const Tensor *result = node.output_size() ? values.find(node.output(0)) : nullptr;
  for (const std::string &input : node.input())
    if (const Tensor *operand = values.find(input);
        result && operand && operand->dtype() == result->dtype() && operand->shape() == result->shape())
      return input;
  return "";
}

bool isNamed(const auto &list, const std::string &name) {
  return std::ranges::any_of(list, [&](const auto &entry) { return entry.name() == name; });
}

void renameValue(onnx::GraphProto &graph, const std::string &from, const std::string &to) {
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    std::ranges::replace(*node.mutable_input(), from, to);
    std::ranges::replace(*node.mutable_output(), from, to);
  }
}

template <class List>
void keepNamed(List &list, const std::set<std::string> &names) {
  for (int i = list.size(); i-- > 0;)
    if (!names.contains(list.Get(i).name()))
      list.DeleteSubrange(i, 1);
}

// Drops inputs and constants that no node reads.
Result<ModelWithInputs> withoutUnread(onnx::ModelProto model, const TensorMap &inputs) {
  std::set<std::string> read;
  for (const onnx::NodeProto &node : model.graph().node())
    read.insert(node.input().begin(), node.input().end());
  keepNamed(*model.mutable_graph()->mutable_input(), read);
  keepNamed(*model.mutable_graph()->mutable_initializer(), read);
  ModelWithInputs to;
  for (const NamedTensor &input : inputs)
    if (read.contains(input.name))
      TILERIG_CHECK_OK(to.inputs.add(input.name, input.tensor));
  to.model = std::move(model);
  return to;
}

} // namespace

Result<std::optional<ModelWithInputs>> withoutNode(const ModelWithInputs &from, int node,
                                                   const TensorMap &values) {
  using Nothing = std::optional<ModelWithInputs>;
  const onnx::NodeProto dropped = from.model.graph().node(node);
  const std::string operand = likeOutput(dropped, values);
  const bool hasGraph = std::ranges::any_of(from.model.graph().node(), [](const onnx::NodeProto &other) {
    return std::ranges::any_of(other.attribute(), [](const auto &attribute) { return attribute.has_g(); });
  });
  if (operand.empty() || hasGraph)
    return Nothing();
  onnx::ModelProto model = from.model;
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.mutable_node()->DeleteSubrange(node, 1);
  const std::string &result = dropped.output(0);
  if (!isNamed(graph.output(), result))
    renameValue(graph, result, operand);
  else if (!isNamed(graph.input(), operand) && !isNamed(graph.initializer(), operand) &&
           !isNamed(graph.output(), operand))
    renameValue(graph, operand, result);
  else
    return Nothing();
  TILERIG_TRY(ModelWithInputs to, withoutUnread(std::move(model), from.inputs));
  return Nothing(std::move(to));
}

std::set<int64_t> axisSizes(const ModelWithInputs &from) {
  std::set<int64_t> sizes;
  for (const NamedTensor &input : from.inputs)
    sizes.insert(input.tensor.shape().begin(), input.tensor.shape().end());
  for (const onnx::TensorProto &constant : from.model.graph().initializer())
    if (isPlain(constant) &&
        !isListOfIntegers(*dtypeOfOnnx(constant.data_type()), static_cast<size_t>(constant.dims_size())))
      sizes.insert(constant.dims().begin(), constant.dims().end());
  sizes.erase(sizes.begin(), sizes.upper_bound(1));
  return sizes;
}

Result<ModelWithInputs> withAxesCut(const ModelWithInputs &from, int64_t size, int64_t smaller) {
  ModelWithInputs to{.model = from.model, .inputs = {}};
  for (const NamedTensor &input : from.inputs)
    TILERIG_CHECK_OK(to.inputs.add(input.name, cut(input.tensor, size, smaller)));
  for (onnx::ValueInfoProto &input : *to.model.mutable_graph()->mutable_input())
    for (auto &dimension : *input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
      if (dimension.dim_value() == size)
        dimension.set_dim_value(smaller);
  for (onnx::TensorProto &constant : *to.model.mutable_graph()->mutable_initializer()) {
    if (!isPlain(constant))
      continue;
    TILERIG_TRY(const Tensor tensor, tensorOf(constant));
    store(cutOrReplaced(tensor, size, smaller), constant);
  }
  return to;
}

std::set<std::string> tensorsWithValues(const ModelWithInputs &from) {
  std::set<std::string> names;
  for (const NamedTensor &input : from.inputs)
    if (isFloat(input.tensor.dtype()) && countValues(input.tensor))
      names.insert(input.name);
  for (const onnx::TensorProto &constant : from.model.graph().initializer())
    if (isPlain(constant) && isFloat(*dtypeOfOnnx(constant.data_type())))
      if (const auto tensor = tensorOf(constant); tensor && countValues(*tensor))
        names.insert(constant.name());
  return names;
}

Result<ModelWithInputs> withZeros(const ModelWithInputs &from, const std::string &tensor) {
  ModelWithInputs to{.model = from.model, .inputs = {}};
  for (const NamedTensor &input : from.inputs)
    TILERIG_CHECK_OK(to.inputs.add(input.name, input.name == tensor
                                                   ? Tensor(input.tensor.dtype(), input.tensor.shape())
                                                   : input.tensor));
  for (onnx::TensorProto &constant : *to.model.mutable_graph()->mutable_initializer())
    if (constant.name() == tensor) {
      TILERIG_TRY(const Tensor values, tensorOf(constant));
      store(Tensor(values.dtype(), values.shape()), constant);
    }
  return to;
}

uint64_t countValues(const ModelWithInputs &from) {
  uint64_t count = 0;
  for (const NamedTensor &input : from.inputs)
    count += countValues(input.tensor);
  for (const onnx::TensorProto &constant : from.model.graph().initializer())
    if (const auto tensor = tensorOf(constant))
      count += countValues(*tensor);
  return count;
}

} // namespace tilerig::verify
