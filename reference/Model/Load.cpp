// Loads a model in three steps: parses the protobuf and inlines its functions; replaces names by value
// numbers; sorts nodes topologically. Tensors keep the parsed message alive, because they refer to its bytes.
#include "reference/Model/Load.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/FloatEight.h"
#include "isa/Base/Tensor/FourBits.h"
#include "reference/Model/Declarations.h"
#include "reference/Model/Functions.h"
#include "reference/Model/Tensors.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx_pb.h>
#include <unordered_map>

namespace tilerig::reference {

namespace {

// The operator set versions of a model, by domain. "ai.onnx" is an alias of the default domain.
class OpsetVersions {
public:
  template <class List>
  explicit OpsetVersions(const List &imports) {
    for (const onnx::OperatorSetIdProto &import : imports)
      versions[canonicalDomain(import.domain())] = static_cast<int>(import.version());
  }
  static std::string canonicalDomain(const std::string &domain) { return domain == "ai.onnx" ? "" : domain; }
  std::optional<int> find(const std::string &domain) const {
    auto entry = versions.find(domain);
    return entry == versions.end() ? std::nullopt : std::optional(entry->second);
  }

private:
  std::map<std::string, int> versions;
};

// Data that are needed to build any graph of a model, the main graph or a nested one.
struct Surroundings {
  const std::string &place; // name of the model; messages begin with it
  const OpsetVersions &opsets;
  const TensorSource &tensors;
};

class GraphBuilder {
public:
  GraphBuilder(const Surroundings &around, GraphBuilder *outer) : around(around), outer(outer) {}

  Result<Graph> build(const onnx::GraphProto &proto);

private:
  Error refuse(const std::string &description, std::string remedy = {}) const {
    return invalidInput(around.place, description, std::move(remedy));
  }
  ValueId idOf(const std::string &name) {
    auto [place, added] = ids.try_emplace(name, static_cast<ValueId>(graph.values.size()));
    if (added)
      graph.values.push_back({name, std::nullopt});
    return place->second;
  }
  // The number, in this graph, of a value that this graph or an enclosing one defines; empty if neither
  // defines the value.
  std::optional<ValueId> resolve(const std::string &name);

  Status declare(ValueId id, const onnx::ValueInfoProto &info);
  Status addInitialisers(const onnx::GraphProto &proto);
  Status addInputs(const onnx::GraphProto &proto);
  Status declareOutputs(const onnx::GraphProto &proto);
  Status addNodes(const onnx::GraphProto &proto);
  Result<Node> nodeOf(const onnx::NodeProto &proto, int index);
  Result<Attribute> attributeOf(const onnx::AttributeProto &proto, const std::string &node);
  Result<std::vector<int>> orderOf(const onnx::GraphProto &proto);

  // Keeps the type of a constant of 4-bit integers or 8-bit floats, because tensors hold these in wider types.
  void keepNarrow(const std::string &name, const onnx::TensorProto &tensor) {
    if (fourBitsOfOnnx(tensor.data_type()) || isFloatEight(tensor.data_type()))
      narrow.emplace(name, tensor.data_type());
  }
  // The number of the type of such a constant that is an input of the node; 0 if it is none.
  int narrowType(const onnx::NodeProto &node, int input) const {
    for (const GraphBuilder *builder = this; builder && input < node.input_size(); builder = builder->outer)
      if (const auto entry = builder->narrow.find(node.input(input)); entry != builder->narrow.end())
        return entry->second;
    return 0;
  }
  // States as attributes the type of the result of a QuantizeLinear whose zero point is of 4-bit integers, and that
  // of the 8-bit floats that a DequantizeLinear reads.
  void stateNarrowTypes(const onnx::NodeProto &proto, Node &node) const {
    if (node.op == "QuantizeLinear" && fourBitsOfOnnx(narrowType(proto, 2)))
      node.attributes.emplace("output_dtype", int64_t{narrowType(proto, 2)});
    if (node.op == "DequantizeLinear" && isFloatEight(narrowType(proto, 0)))
      node.attributes.emplace("stored_dtype", int64_t{narrowType(proto, 0)});
  }

  const Surroundings &around;
  GraphBuilder *outer;
  std::unordered_map<std::string, int> narrow; // numbers of the types of constants of narrow types, by name
  Graph graph;
  std::unordered_map<std::string, ValueId> ids;
  std::unordered_map<std::string, bool> defined; // names of values that this graph defines
};

std::optional<ValueId> GraphBuilder::resolve(const std::string &name) {
  if (auto entry = ids.find(name); entry != ids.end())
    return entry->second;
  if (!outer)
    return std::nullopt;
  auto outside = outer->resolve(name);
  if (!outside)
    return std::nullopt;
  ValueId inner = idOf(name);
  graph.outerValues.push_back({*outside, inner});
  return inner;
}

// Stores the type and shape that `info` declares for a value. The first declaration is kept: an input that is
// also an output is checked as an input.
Status GraphBuilder::declare(ValueId id, const onnx::ValueInfoProto &info) {
  TILERIG_TRY(auto declared, declaredType(info, around.place));
  if (!graph.values[id].declared)
    graph.values[id].declared = std::move(declared);
  return success();
}

Status GraphBuilder::addInitialisers(const onnx::GraphProto &proto) {
  for (const onnx::TensorProto &tensor : proto.initializer()) {
    if (!defined.emplace(tensor.name(), true).second)
      return refuse(fmt::format("initialiser '{}' is declared twice", tensor.name()));
    TILERIG_TRY(Tensor value, around.tensors.read(tensor, fmt::format("initialiser '{}'", tensor.name())));
    graph.initialisers.emplace(idOf(tensor.name()), std::move(value));
    keepNarrow(tensor.name(), tensor);
  }
  if (proto.sparse_initializer_size())
    return unsupported(around.place, "sparse initialisers are not supported",
                       "store sparse initialisers as dense tensors");
  return success();
}

Status GraphBuilder::addInputs(const onnx::GraphProto &proto) {
  for (int i = 0; i < proto.input_size(); ++i) {
    const onnx::ValueInfoProto &input = proto.input(i);
    if (!outer && input.name().empty())
      return refuse(fmt::format("input {} has no name", i),
                    "give the input a name, or remove it if no node reads it");
    if (!outer)
      TILERIG_CHECK_OK(checkModelInput(input, around.place));
    bool isNew = defined.emplace(input.name(), true).second;
    ValueId id = idOf(input.name());
    TILERIG_TRY(graph.values[id].declared, declaredType(input, around.place));
    if (isNew)
      graph.inputs.push_back(id);
    else if (graph.initialisers.contains(id) && !std::ranges::count(graph.overridable, id))
      graph.overridable.push_back(id);
    else
      return refuse(fmt::format("input '{}' is declared twice", input.name()));
  }
  return success();
}

// Registers all outputs of nodes before reading any node, so that nodes may be listed in any order.
Status GraphBuilder::declareOutputs(const onnx::GraphProto &proto) {
  for (const onnx::NodeProto &node : proto.node())
    for (const std::string &name : node.output()) {
      if (name.empty())
        continue;
      if (!defined.emplace(name, true).second)
        return refuse(
            fmt::format("value '{}' is defined twice, once as output of a {} node", name, node.op_type()));
      idOf(name);
    }
  return success();
}

Result<Attribute> GraphBuilder::attributeOf(const onnx::AttributeProto &proto, const std::string &node) {
  using Proto = onnx::AttributeProto;
  switch (proto.type()) {
  case Proto::INT:
    return Attribute(static_cast<int64_t>(proto.i()));
  case Proto::FLOAT:
    return Attribute(proto.f());
  case Proto::STRING:
    return Attribute(proto.s());
  case Proto::INTS:
    return Attribute(std::vector<int64_t>(proto.ints().begin(), proto.ints().end()));
  case Proto::FLOATS:
    return Attribute(std::vector<float>(proto.floats().begin(), proto.floats().end()));
  case Proto::STRINGS:
    return Attribute(std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
  case Proto::TENSOR: {
    TILERIG_TRY(Tensor tensor, around.tensors.read(proto.t(), node + ": attribute '" + proto.name() + "'"));
    return Attribute(std::move(tensor));
  }
  case Proto::GRAPH: {
    GraphBuilder inner(around, this);
    TILERIG_TRY(Graph body, inner.build(proto.g()));
    return Attribute(std::make_shared<const Graph>(std::move(body)));
  }
  default:
    return unsupported(around.place, fmt::format("{}: attribute '{}' has a type that is not supported ({})",
                                                 node, proto.name(), static_cast<int>(proto.type())));
  }
}

Result<Node> GraphBuilder::nodeOf(const onnx::NodeProto &proto, int index) {
  Node node;
  node.op = proto.op_type();
  node.domain = OpsetVersions::canonicalDomain(proto.domain());
  node.name = proto.name().empty() ? fmt::format("{}#{}", proto.op_type(), index) : proto.name();
  std::string place = fmt::format("node '{}' ({})", node.name, node.op);
  auto opset = around.opsets.find(node.domain);
  if (!opset)
    return refuse(fmt::format("{}: the model imports no operator set for domain '{}'", place, node.domain),
                  "add the domain to the model's opset_import");
  node.opset = *opset;
  for (const std::string &name : proto.input()) {
    auto id = name.empty() ? std::optional(absent) : resolve(name);
    if (!id)
      return refuse(fmt::format("{}: reads '{}', which is not defined anywhere", place, name));
    node.inputs.push_back(*id);
  }
  for (const std::string &name : proto.output())
    node.outputs.push_back(name.empty() ? absent : idOf(name));
  for (const onnx::AttributeProto &attribute : proto.attribute()) {
    TILERIG_TRY(Attribute value, attributeOf(attribute, place));
    if (!node.attributes.emplace(attribute.name(), std::move(value)).second)
      return refuse(fmt::format("{}: attribute '{}' is given twice", place, attribute.name()));
    if (node.op == "Constant" && attribute.has_t() && proto.output_size() > 0)
      keepNarrow(proto.output(0), attribute.t());
  }
  stateNarrowTypes(proto, node);
  return node;
}

// Adds the names that a node reads, including reads in its subgraphs, to `names`.
void collectReads(const onnx::NodeProto &node, std::vector<const std::string *> &names) {
  for (const std::string &name : node.input())
    names.push_back(&name);
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (!attribute.has_g())
      continue;
    for (const onnx::NodeProto &inner : attribute.g().node())
      collectReads(inner, names);
    for (const onnx::ValueInfoProto &output : attribute.g().output())
      names.push_back(&output.name());
  }
}

// Topological sort by Kahn's algorithm, which keeps the file's order wherever possible. Nodes left over lie
// on a cycle.
Result<std::vector<int>> GraphBuilder::orderOf(const onnx::GraphProto &proto) {
  std::unordered_map<std::string, int> producer;
  for (int i = 0; i < proto.node_size(); ++i)
    for (const std::string &name : proto.node(i).output())
      producer.emplace(name, i);
  std::vector<std::vector<int>> readers(proto.node_size());
  std::vector<int> missing(proto.node_size(), 0);
  for (int i = 0; i < proto.node_size(); ++i) {
    std::vector<const std::string *> reads;
    collectReads(proto.node(i), reads);
    for (const std::string *name : reads)
      if (auto entry = producer.find(*name); !name->empty() && entry != producer.end()) {
        readers[entry->second].push_back(i);
        ++missing[i];
      }
  }
  std::vector<int> order;
  std::map<int, bool> ready;
  for (int i = 0; i < proto.node_size(); ++i)
    if (missing[i] == 0)
      ready.emplace(i, true);
  while (!ready.empty()) {
    int next = ready.begin()->first;
    ready.erase(ready.begin());
    order.push_back(next);
    for (int reader : readers[next])
      if (--missing[reader] == 0)
        ready.emplace(reader, true);
  }
  for (int i = 0; i < proto.node_size(); ++i)
    if (missing[i] > 0)
      return refuse(fmt::format("node '{}' ({}) is part of a cycle: it depends on its own output",
                                proto.node(i).name(), proto.node(i).op_type()));
  return order;
}

Status GraphBuilder::addNodes(const onnx::GraphProto &proto) {
  TILERIG_TRY(std::vector<int> order, orderOf(proto));
  for (int index : order) {
    TILERIG_TRY(Node node, nodeOf(proto.node(index), index));
    graph.nodes.push_back(std::move(node));
  }
  return success();
}

Result<Graph> GraphBuilder::build(const onnx::GraphProto &proto) {
  graph.name = proto.name();
  TILERIG_CHECK_OK(addInitialisers(proto));
  TILERIG_CHECK_OK(addInputs(proto));
  TILERIG_CHECK_OK(declareOutputs(proto));
  TILERIG_CHECK_OK(addNodes(proto));
  for (const onnx::ValueInfoProto &info : proto.value_info())
    if (auto entry = ids.find(info.name()); entry != ids.end())
      TILERIG_CHECK_OK(declare(entry->second, info));
  if (!outer && proto.output_size() == 0)
    return refuse("the graph has no outputs", "declare the model's outputs");
  for (const onnx::ValueInfoProto &output : proto.output()) {
    auto id = resolve(output.name());
    if (!id)
      return refuse(fmt::format("output '{}' is not defined anywhere", output.name()));
    if (!outer && std::ranges::count(graph.outputs, *id))
      return refuse(fmt::format("output '{}' is declared twice", output.name()));
    if (!outer)
      TILERIG_CHECK_OK(checkIsTensor(output.type(), fmt::format("output '{}'", output.name()), around.place));
    TILERIG_CHECK_OK(declare(*id, output));
    graph.outputs.push_back(*id);
  }
  return std::move(graph);
}

// Protobuf's own limit on nesting (100 messages) bounds the recursion over subgraphs. A file that is valid
// but exceeds it gets another error than a file that cannot be parsed at all.
constexpr int messagesPerGraph = 3; // a subgraph adds three nested messages: graph, node and attribute
constexpr int deepestKnown = 2000;  // deepest nesting at which a file is still recognised as valid

bool parseNested(std::span<const std::byte> bytes, int mostMessages, onnx::ModelProto &proto) {
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(mostMessages);
  return proto.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

Error whyUnparsed(std::span<const std::byte> bytes, const std::string &place) {
  onnx::ModelProto proto;
  if (!parseNested(bytes, deepestKnown, proto))
    return invalidInput(place, "not an ONNX model, or a truncated one", "export it again");
  const int limit = google::protobuf::io::CodedInputStream::GetDefaultRecursionLimit();
  return unsupported(
      place,
      fmt::format("subgraphs of If, Loop and Scan nest deeper than {} levels", limit / messagesPerGraph),
      "export the model with less nesting");
}

Result<std::shared_ptr<onnx::ModelProto>> parseProto(std::span<const std::byte> bytes,
                                                     const std::string &place) {
  if (bytes.size() > INT32_MAX)
    return invalidInput(place, "the file is larger than 2 GiB, the limit of protobuf",
                        "store the weights as external data");
  auto proto = std::make_shared<onnx::ModelProto>();
  if (!parseNested(bytes, google::protobuf::io::CodedInputStream::GetDefaultRecursionLimit(), *proto))
    return whyUnparsed(bytes, place);
  if (!proto->has_graph())
    return invalidInput(place, "the model has no graph", "export it again");
  return proto;
}

Result<Model> build(std::shared_ptr<const onnx::ModelProto> proto, const std::string &place,
                    const std::string &directory) {
  OpsetVersions opsets(proto->opset_import());
  TensorSource tensors(place, directory, proto);
  Surroundings around{place, opsets, tensors};
  GraphBuilder builder(around, nullptr);
  TILERIG_TRY(Graph graph, builder.build(proto->graph()));
  return Model{place, std::move(graph)};
}

} // namespace

Result<Model> parseModel(std::span<const std::byte> bytes, const std::string &place,
                         const std::string &directory) {
  TILERIG_TRY(std::shared_ptr<onnx::ModelProto> proto, parseProto(bytes, place));
  TILERIG_CHECK_OK(expandFunctions(*proto, place));
  return build(std::move(proto), place, directory);
}

Result<Model> modelOf(std::shared_ptr<const onnx::ModelProto> proto, const std::string &place,
                      const std::string &directory) {
  if (proto->functions().empty())
    return build(std::move(proto), place, directory);
  const auto expanded = std::make_shared<onnx::ModelProto>(*proto);
  TILERIG_CHECK_OK(expandFunctions(*expanded, place));
  return build(expanded, place, directory);
}

Result<Model> loadModel(const std::string &path) {
  TILERIG_TRY(MappedFile file, MappedFile::open(path));
  std::string directory = std::filesystem::path(path).parent_path().string();
  return parseModel(file.bytes(), path, directory.empty() ? "." : directory);
}

} // namespace tilerig::reference
