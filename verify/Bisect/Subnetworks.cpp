#include "verify/Bisect/Subnetworks.h"

#include "verify/Bisect/SmallerModels.h"

#include <algorithm>
#include <deque>
#include <fmt/core.h>
#include <functional>
#include <set>

namespace tilerig::verify {

namespace {

void visitReads(const onnx::GraphProto &graph, std::set<std::string> own,
                const std::function<void(const std::string &)> &visit);

// Calls visit(value) for every value that a node reads from the graph around it, in its subgraphs, too.
void visitReads(const onnx::NodeProto &node, const std::function<void(const std::string &)> &visit) {
  for (const std::string &value : node.input())
    if (!value.empty())
      visit(value);
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g())
      visitReads(attribute.g(), {}, visit);
    for (const onnx::GraphProto &graph : attribute.graphs())
      visitReads(graph, {}, visit);
  }
}

// `own` are the values that the graph itself has.
void visitReads(const onnx::GraphProto &graph, std::set<std::string> own,
                const std::function<void(const std::string &)> &visit) {
  for (const auto &input : graph.input())
    own.insert(input.name());
  for (const auto &initialiser : graph.initializer())
    own.insert(initialiser.name());
  for (const auto &node : graph.node())
    own.insert(node.output().begin(), node.output().end());
  const auto visitOuter = [&](const std::string &value) {
    if (!own.contains(value))
      visit(value);
  };
  for (const auto &node : graph.node())
    visitReads(node, visitOuter);
  for (const auto &output : graph.output())
    visitOuter(output.name());
}

std::set<std::string> readsOf(const onnx::NodeProto &node) {
  std::set<std::string> reads;
  visitReads(node, [&](const std::string &value) { reads.insert(value); });
  return reads;
}

bool isConstant(const onnx::NodeProto &node) {
  return node.op_type() == "Constant" && (node.domain().empty() || node.domain() == "ai.onnx");
}

// Whether a tensor may describe a shape: integers along at most one axis.
bool mayBeShape(const Tensor &tensor) {
  return (tensor.dtype() == DType::i64 || tensor.dtype() == DType::i32) && tensor.shape().size() <= 1;
}

} // namespace

Result<Subnetworks> Subnetworks::of(const SourceModel &source) {
  Subnetworks subnetworks(source);
  auto model = std::make_shared<onnx::ModelProto>();
  const std::span<const std::byte> bytes = source.content();
  if (bytes.size() > INT32_MAX || !model->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return invalidInput(source.name(), "the file is not an ONNX model");
  subnetworks.model = std::move(model);
  TILERIG_CHECK_OK(subnetworks.sortNodes());
  subnetworks.findReaders();
  if (subnetworks.order.empty())
    return invalidInput(source.name(), "the model has no nodes, so it cannot be shortened");
  return subnetworks;
}

// Sorts the nodes topologically, keeping the order of the file where possible: a node follows as soon as all nodes are
// there that compute what it reads.
Status Subnetworks::sortNodes() {
  std::map<std::string, int> computedBy;
  for (int i = 0; i < graph().node_size(); ++i)
    for (const std::string &output : graph().node(i).output())
      computedBy.emplace(output, i);
  std::vector<int> missing(static_cast<size_t>(graph().node_size()));
  std::vector<std::vector<int>> followers(missing.size());
  std::set<int> ready;
  for (int i = 0; i < graph().node_size(); ++i) {
    std::set<int> before;
    for (const std::string &value : readsOf(graph().node(i)))
      if (const auto from = computedBy.find(value); from != computedBy.end())
        before.insert(from->second);
    missing[static_cast<size_t>(i)] = static_cast<int>(before.size());
    for (const int earlier : before)
      followers[static_cast<size_t>(earlier)].push_back(i);
    if (before.empty())
      ready.insert(i);
  }
  int sorted = 0;
  while (!ready.empty()) {
    const int next = *ready.begin();
    ready.erase(ready.begin());
    ++sorted;
    if (isConstant(graph().node(next)))
      for (const std::string &output : graph().node(next).output())
        constants[output] = next;
    else
      order.push_back(next);
    for (const int follower : followers[static_cast<size_t>(next)])
      if (--missing[static_cast<size_t>(follower)] == 0)
        ready.insert(follower);
  }
  return sorted == graph().node_size()
             ? success()
             : Status(invalidInput(source.name(), "nodes of the model read each other's results in a cycle"));
}

void Subnetworks::findReaders() {
  for (NodeIndex i = 0; i < order.size(); ++i) {
    for (const std::string &output : node(i).output())
      producers.emplace(output, i);
    if (!names.emplace(nameOf(i), i).second)
      ambiguous.insert(nameOf(i));
    for (const std::string &value : readsOf(node(i)))
      readers[value].push_back(i);
  }
  for (const auto &initialiser : graph().initializer())
    initialisers[initialiser.name()] = &initialiser;
  for (const auto *list : {&graph().value_info(), &graph().output(), &graph().input()})
    for (const auto &info : *list)
      declared[info.name()] = &info;
}

std::string Subnetworks::nameOf(NodeIndex index) const {
  const onnx::NodeProto &own = node(index);
  return own.name().empty() ? fmt::format("{}#{}", own.op_type(), order[index]) : own.name();
}

std::optional<NodeIndex> Subnetworks::producerOf(const std::string &value) const {
  const auto entry = producers.find(value);
  return entry == producers.end() ? std::nullopt : std::optional(entry->second);
}

std::optional<NodeIndex> Subnetworks::nodeNamed(const std::string &name) const {
  if (const auto entry = names.find(name); entry != names.end())
    return ambiguous.contains(name) ? std::nullopt : std::optional(entry->second);
  // A node of an inlined function is named NODE#POSITION/INNER, after the node that calls the function.
  const size_t slash = name.find('/', name.find('#'));
  if (name.find('#') == name.npos || slash == name.npos)
    return {};
  const std::string caller = name.substr(0, slash);
  if (names.contains(caller))
    return nodeNamed(caller);
  const auto entry = names.find(caller.substr(0, caller.rfind('#')));
  return entry != names.end() && caller == fmt::format("{}#{}", entry->first, order[entry->second])
             ? std::optional(entry->second)
             : std::nullopt;
}

static void addDataFiles(const onnx::GraphProto &graph, std::set<std::string> &files) {
  const auto add = [&](const onnx::TensorProto &constant) {
    for (const auto &entry : constant.external_data())
      if (entry.key() == "location")
        files.insert(entry.value());
  };
  for (const onnx::TensorProto &constant : graph.initializer())
    add(constant);
  for (const onnx::NodeProto &node : graph.node())
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_t())
        add(attribute.t());
      if (attribute.has_g())
        addDataFiles(attribute.g(), files);
    }
}

std::set<std::string> Subnetworks::dataFiles() const {
  std::set<std::string> files;
  addDataFiles(graph(), files);
  return files;
}

size_t Subnetworks::branchPoints() const {
  size_t count = 0;
  for (NodeIndex i = 0; i < order.size(); ++i)
    count += std::ranges::any_of(node(i).output(), [&](const std::string &output) {
      const auto entry = readers.find(output);
      return entry != readers.end() && entry->second.size() > 1;
    });
  return count;
}

std::vector<NodeIndex> Subnetworks::readBy(NodeIndex index) const {
  std::set<NodeIndex> before;
  for (const std::string &value : readsOf(node(index)))
    if (const auto from = producerOf(value))
      before.insert(*from);
  return {before.begin(), before.end()};
}

// The nodes as a model without inputs, outputs and constants.
onnx::ModelProto Subnetworks::frameOf(const std::vector<NodeIndex> &nodes) const {
  onnx::ModelProto to;
  to.set_ir_version(model->ir_version());
  to.set_producer_name(model->producer_name());
  *to.mutable_opset_import() = model->opset_import();
  *to.mutable_functions() = model->functions();
  to.mutable_graph()->set_name(graph().name());
  for (const NodeIndex index : nodes) {
    onnx::NodeProto &own = *to.mutable_graph()->add_node();
    own = node(index);
    own.set_name(nameOf(index));
  }
  return to;
}

void Subnetworks::declare(const std::string &value, onnx::ValueInfoProto &to) const {
  if (const auto entry = declared.find(value); entry != declared.end())
    to = *entry->second;
  to.set_name(value);
}

void Subnetworks::addOutput(const std::string &value, onnx::GraphProto &to) const {
  onnx::ValueInfoProto &output = *to.add_output();
  declare(value, output);
  // The size of an output may be known by another name than in the model whose part it is.
  if (output.type().has_tensor_type())
    output.mutable_type()->mutable_tensor_type()->clear_shape();
}

// The values of a subnetwork that are read outside of it, and outputs of the whole model. If there are none, all values of
// the last node.
void Subnetworks::addOutputs(const std::vector<NodeIndex> &nodes, onnx::GraphProto &to) const {
  std::set<std::string> ofModel;
  for (const auto &output : graph().output())
    ofModel.insert(output.name());
  const auto isReadOutside = [&](const std::string &value) {
    const auto entry = readers.find(value);
    return entry != readers.end() && std::ranges::any_of(entry->second, [&](NodeIndex reader) {
             return !std::ranges::binary_search(nodes, reader);
           });
  };
  for (const NodeIndex index : nodes)
    for (const std::string &value : node(index).output())
      if (!value.empty() && (ofModel.contains(value) || isReadOutside(value)))
        addOutput(value, to);
  if (to.output_size())
    return;
  for (const std::string &value : node(nodes.back()).output())
    if (!value.empty())
      addOutput(value, to);
}

// Adds the constants and inputs that the nodes read.
Status Subnetworks::addRead(const std::vector<NodeIndex> &nodes, const TensorMap *values,
                            onnx::GraphProto &to) const {
  std::set<std::string> added;
  std::deque<onnx::NodeProto> ownConstants;
  for (const NodeIndex index : nodes)
    for (const std::string &value : readsOf(node(index))) {
      const auto from = producerOf(value);
      if ((from && std::ranges::binary_search(nodes, *from)) || !added.insert(value).second)
        continue;
      if (const auto constant = constants.find(value); constant != constants.end()) {
        ownConstants.push_back(graph().node(constant->second));
        continue;
      }
      if (const auto initialiser = initialisers.find(value); initialiser != initialisers.end()) {
        *to.add_initializer() = *initialiser->second;
        continue;
      }
      const Tensor *tensor = values ? values->find(value) : nullptr;
      if (from && !tensor)
        return unsupported(source.name(),
                           fmt::format("the value '{}' between two layers is no tensor", value));
      if (from && mayBeShape(*tensor)) {
        *to.add_initializer() = asConstant(value, *tensor);
        continue;
      }
      declare(value, *to.add_input());
      if (!tensor)
        continue;
      auto &type = *to.mutable_input(to.input_size() - 1)->mutable_type()->mutable_tensor_type();
      type.set_elem_type(onnxNumber(tensor->dtype()));
      type.clear_shape();
      type.mutable_shape();
      for (const int64_t size : tensor->shape())
        type.mutable_shape()->add_dim()->set_dim_value(size);
    }
  // Constant nodes come before the nodes that read them.
  if (ownConstants.empty())
    return success();
  google::protobuf::RepeatedPtrField<onnx::NodeProto> all(ownConstants.begin(), ownConstants.end());
  all.MergeFrom(to.node());
  to.mutable_node()->Swap(&all);
  return success();
}

Result<SourceModel> Subnetworks::shortened(size_t length) const {
  if (length == order.size())
    return source;
  std::vector<NodeIndex> nodes(length);
  for (NodeIndex i = 0; i < length; ++i)
    nodes[i] = i;
  onnx::ModelProto part = frameOf(nodes);
  TILERIG_CHECK_OK(addRead(nodes, nullptr, *part.mutable_graph()));
  addOutputs(nodes, *part.mutable_graph());
  TILERIG_TRY(std::string bytes, bytesOf(part, source.name()));
  return source.withContent(fmt::format("{} ({} nodes)", source.name(), length), std::move(bytes));
}

Result<SourceModel> Subnetworks::madeOf(const std::vector<NodeIndex> &nodes, const TensorMap &values,
                                        const std::string &name) const {
  onnx::ModelProto part = frameOf(nodes);
  TILERIG_CHECK_OK(addRead(nodes, &values, *part.mutable_graph()));
  addOutputs(nodes, *part.mutable_graph());
  TILERIG_TRY(std::string bytes, bytesOf(part, name));
  return source.withContent(name, std::move(bytes));
}

Result<TensorMap> Subnetworks::inputsOf(const SourceModel &model, const TensorMap &tensors) {
  TILERIG_TRY(const reference::Model graph, model.forReference());
  TensorMap inputs;
  for (const reference::ValueId id : graph.graph.inputs) {
    const std::string &name = graph.graph.values[static_cast<size_t>(id)].name;
    TILERIG_TRY(const Tensor *tensor, tensors.get(name));
    TILERIG_CHECK_OK(inputs.add(name, *tensor));
  }
  return inputs;
}

} // namespace tilerig::verify
