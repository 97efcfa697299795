#include "compiler/Graph/Import/OnnxFile.h"

#include "compiler/Graph/Import/Functions.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/FloatEight.h"
#include "isa/Base/Tensor/FourBits.h"
#include "isa/Base/Tensor/TensorProto.h"

#include <filesystem>
#include <fmt/core.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <map>

namespace tilerig::compiler {

namespace {

// Calls a function with every tensor of a graph and of its subgraphs.
template <class Function>
void forEachTensor(onnx::GraphProto &graph, const Function &function) {
  for (onnx::TensorProto &initialiser : *graph.mutable_initializer())
    function(initialiser);
  for (onnx::NodeProto &node : *graph.mutable_node())
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_t())
        function(*attribute.mutable_t());
      for (onnx::TensorProto &tensor : *attribute.mutable_tensors())
        function(tensor);
      if (attribute.has_g())
        forEachTensor(*attribute.mutable_g(), function);
      for (onnx::GraphProto &inner : *attribute.mutable_graphs())
        forEachTensor(inner, function);
    }
}

// Numbers of the types of initialisers by name.
using Types = std::map<std::string, int>;

void addNumber(onnx::NodeProto &node, const char *name, int number) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(number);
}

// States types as attributes where tensors hold narrow constants in wider types: the type of the result of a
// QuantizeLinear whose zero point is of 4-bit integers, and that of the 8-bit floats that a DequantizeLinear reads.
// `types` are those of the graphs around.
void stateNarrowTypes(onnx::GraphProto &graph, Types types) {
  for (const onnx::TensorProto &initialiser : graph.initializer())
    types[initialiser.name()] = initialiser.data_type();
  for (const onnx::NodeProto &node : graph.node())
    if (node.op_type() == "Constant" && node.output_size() > 0)
      for (const onnx::AttributeProto &attribute : node.attribute())
        if (attribute.has_t())
          types[node.output(0)] = attribute.t().data_type();
  const auto typeOf = [&](const onnx::NodeProto &node, int input) {
    const auto entry = input < node.input_size() ? types.find(node.input(input)) : types.end();
    return entry == types.end() ? 0 : entry->second;
  };
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        stateNarrowTypes(*attribute.mutable_g(), types);
    const bool isStated = std::ranges::any_of(node.attribute(), [](const auto &attribute) {
      return attribute.name() == "output_dtype" && attribute.i() != 0;
    });
    if (node.op_type() == "QuantizeLinear" && fourBitsOfOnnx(typeOf(node, 2)) && !isStated)
      addNumber(node, "output_dtype", typeOf(node, 2));
    if (node.op_type() == "DequantizeLinear" && isFloatEight(typeOf(node, 0)))
      addNumber(node, storedFloats, typeOf(node, 0));
  }
}

// Protobuf limits the nesting of messages to 100, which bounds the recursion over subgraphs. A file that
// fails is parsed again with the limit `deepestKnown`, to distinguish a valid file that is nested too deeply
// from an invalid file.
constexpr int messagesPerGraph = 3; // Protobuf messages per level of subgraphs: graph, node, attribute
constexpr int deepestKnown = 2000;  // nesting of Protobuf messages that the second parse accepts

bool parseNested(std::span<const std::byte> bytes, int mostMessages, onnx::ModelProto &message) {
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(mostMessages);
  return message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

Error whyUnparsed(std::span<const std::byte> bytes, const std::string &path) {
  onnx::ModelProto message;
  if (!parseNested(bytes, deepestKnown, message))
    return invalidInput(path, "not an ONNX model, or a truncated one", "export it again");
  const int limit = google::protobuf::io::CodedInputStream::GetDefaultRecursionLimit();
  return unsupported(
      path,
      fmt::format("subgraphs of If, Loop and Scan nest deeper than {} levels", limit / messagesPerGraph),
      "export the model with less nesting");
}

} // namespace

Result<OnnxFile> OnnxFile::read(const std::string &path) {
  TILERIG_TRY(const MappedFile file, MappedFile::open(path));
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return parse(file.bytes(), path, folder.empty() ? "." : folder);
}

Result<OnnxFile> OnnxFile::parse(std::span<const std::byte> bytes, const std::string &path,
                                 const std::string &folder) {
  if (bytes.size() > INT32_MAX)
    return invalidInput(path, "the file is larger than 2 GiB, the limit of protobuf",
                        "store the weights as external data");
  auto message = std::make_shared<onnx::ModelProto>();
  if (!parseNested(bytes, google::protobuf::io::CodedInputStream::GetDefaultRecursionLimit(), *message))
    return whyUnparsed(bytes, path);
  if (!message->has_graph())
    return invalidInput(path, "the model has no graph", "export it again");
  TILERIG_CHECK_OK(unfoldFunctions(*message, path));
  stateNarrowTypes(*message->mutable_graph(), {});
  OnnxFile result;
  // Each large tensor owns its bytes, so that weights that a pass replaces are freed while other weights stay
  // in memory.
  forEachTensor(*message->mutable_graph(), [&](onnx::TensorProto &tensor) {
    if (tensor.raw_data().size() >= viewFromBytes)
      result.large[&tensor].reset(tensor.release_raw_data());
  });
  result.message = std::move(message);
  result.name = path;
  result.folder = folder;
  return result;
}

std::optional<int64_t> OnnxFile::opset(const std::string &domain) const {
  const auto canonical = [](const std::string &domainName) {
    return domainName == "ai.onnx" ? std::string() : domainName;
  };
  for (const onnx::OperatorSetIdProto &set : message->opset_import())
    if (canonical(set.domain()) == canonical(domain))
      return set.version();
  return {};
}

Result<Tensor> OnnxFile::tensor(const onnx::TensorProto &tensor, const std::string &place) const {
  const std::string where = name + ": " + place;
  const auto type = dtypeOfOnnx(tensor.data_type());
  const auto fourBits = fourBitsOfOnnx(tensor.data_type());
  const bool isNarrow = fourBits || isFloatEight(tensor.data_type());
  if (!type && !isNarrow)
    return unsupported(where, fmt::format("element type {} is not supported", tensor.data_type()));
  const bool isExternal = tensor.data_location() == onnx::TensorProto::EXTERNAL;
  if (isExternal && folder.empty())
    return invalidInput(where, "the tensor's data is external, but the model was not read from a file");
  const auto entry = large.find(&tensor);
  if (isNarrow && entry != large.end()) {
    const Shape shape(tensor.dims().begin(), tensor.dims().end());
    const auto bytes = std::as_bytes(std::span(*entry->second));
    auto widened = fourBits ? unpackedFourBits(*fourBits, shape, bytes)
                            : widenedFloatEight(tensor.data_type(), shape, bytes);
    return widened ? std::move(widened) : Result<Tensor>(widened.error().within(where));
  }
  if (isExternal || isNarrow || (entry == large.end() && !tensor.has_raw_data())) {
    // Tensors in a rare encoding, such as lists of numbers, and external data are left to parseTensorProto(),
    // which reads all encodings.
    const std::string bytes = tensor.SerializeAsString();
    TILERIG_TRY(NamedTensor read, parseTensorProto(std::as_bytes(std::span(bytes)), nullptr, folder, where));
    return std::move(read.tensor);
  }
  const auto &bytes = entry == large.end() ? tensor.raw_data() : *entry->second;
  const std::shared_ptr<const void> owner = entry == large.end() ? nullptr : entry->second;
  auto shown = Tensor::view(*type, Shape(tensor.dims().begin(), tensor.dims().end()),
                            std::as_bytes(std::span(bytes.data(), bytes.size())), owner);
  if (!shown)
    return shown.error().within(where);
  TILERIG_CHECK_OK(checkBools(*shown, where));
  return shown;
}

} // namespace tilerig::compiler
