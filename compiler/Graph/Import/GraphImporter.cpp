#include "compiler/Graph/Import/GraphImporter.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Import/GrowingLoops.h"
#include "compiler/Graph/Import/KeptGraphs.h"
#include "compiler/Graph/Import/Opaque.h"
#include "compiler/Graph/Import/OpenNodes.h"
#include "compiler/Graph/Import/Sequences.h"
#include "compiler/Graph/Import/Soundness.h"
#include "compiler/Graph/Import/Subgraphs.h"

#include <fmt/core.h>
#include <set>

namespace tilerig::compiler {

namespace {

// Limit on imported nodes: no real model has more, so more means an endless loop.
constexpr int64_t mostNodes = 1 << 17;

// Operators whose results are random.
bool isRandom(const std::string &type) {
  static const std::set<std::string> random = {"RandomNormal",      "RandomUniform", "RandomNormalLike",
                                               "RandomUniformLike", "Multinomial",   "Bernoulli"};
  return random.contains(type);
}

} // namespace

mlir::Location Importing::locationOf(const std::string &name, llvm::ArrayRef<mlir::Location> inside) const {
  const auto identifier = mlir::StringAttr::get(builder.getContext(), name);
  return inside.empty() ? mlir::NameLoc::get(identifier)
                        : mlir::NameLoc::get(identifier, mlir::FusedLoc::get(builder.getContext(), inside));
}

GraphImporter::GraphImporter(Importing &shared, const onnx::GraphProto &graph, GraphImporter *outer,
                             std::string prefix)
    : shared(shared), graph(graph), outer(outer), prefix(std::move(prefix)) {
  for (const onnx::TensorProto &initialiser : graph.initializer())
    initialisers.emplace(initialiser.name(), &initialiser);
  // The types that the graph declares for its inner values and its outputs.
  for (const auto *infos : {&graph.value_info(), &graph.output()})
    for (const onnx::ValueInfoProto &info : *infos)
      declared.emplace(info.name(), &info);
}

Status GraphImporter::define(const std::string &name, mlir::Value value) {
  if (!values.emplace(name, value).second)
    return invalidInput(shared.file.path(), fmt::format("value '{}' is defined twice", name));
  return success();
}

Result<mlir::Value> GraphImporter::valueOf(const std::string &name, const std::string &reader) {
  if (const auto entry = values.find(name); entry != values.end())
    return entry->second;
  const auto initialiser = initialisers.find(name);
  if (initialiser == initialisers.end() && outer)
    return outer->valueOf(name, reader);
  if (initialiser == initialisers.end())
    return invalidInput(shared.file.path(),
                        fmt::format("{}: reads '{}', which is not defined anywhere", reader, name));
  TILERIG_TRY(const Tensor tensor,
              shared.file.tensor(*initialiser->second, fmt::format("initialiser '{}'", name)));
  const mlir::Value value = graph::ConstantOp::create(shared.builder, shared.locationOf(name),
                                                      attributeOf(shared.context(), tensor, name));
  values.emplace(name, value);
  return value;
}

mlir::RankedTensorType GraphImporter::declaredType(const std::string &name) const {
  const auto entry = declared.find(name);
  return entry == declared.end() ? mlir::RankedTensorType() : typeOf(*entry->second);
}

mlir::RankedTensorType GraphImporter::typeOf(const onnx::ValueInfoProto &info) const {
  if (!info.type().has_tensor_type())
    return {};
  const onnx::TypeProto::Tensor &type = info.type().tensor_type();
  const auto element = dtypeOfOnnx(type.elem_type());
  if (!element || !type.has_shape())
    return {};
  Ints shape;
  for (const auto &dimension : type.shape().dim())
    shape.push_back(dimension.has_dim_value() ? dimension.dim_value() : mlir::ShapedType::kDynamic);
  return mlir::RankedTensorType::get(shape, elementTypeOf(shared.context(), *element));
}

Status GraphImporter::importNodes() {
  TILERIG_TRY(const std::vector<int> order, executionOrder(shared.file, graph));
  for (int index : order)
    TILERIG_CHECK_OK(importNode(graph.node(index), index));
  return success();
}

Status GraphImporter::importNode(const onnx::NodeProto &node, int index) {
  const std::string name =
      prefix + (node.name().empty() ? fmt::format("{}#{}", node.op_type(), index) : node.name());
  const std::string place = fmt::format("node '{}' ({})", name, node.op_type());
  if (++shared.numNodes > mostNodes)
    return unsupported(shared.file.path(),
                       fmt::format("{}: the model has more than {} nodes after inlining", place, mostNodes));
  Values operands;
  for (const std::string &input : node.input()) {
    mlir::Value operand;
    if (!input.empty()) {
      TILERIG_TRY(operand, valueOf(input, place));
    }
    operands.push_back(operand);
  }
  llvm::SmallVector<mlir::Location> results;
  // The locations of the node's outputs, in order. An output needs a location of its own even if it has no
  // name.
  for (int i = 0; i < node.output_size(); ++i)
    results.push_back(node.output(i).empty() ? shared.locationOf("", shared.locationOf(std::to_string(i)))
                                             : shared.locationOf(node.output(i)));
  mlir::Block &body = *shared.builder.getInsertionBlock();
  mlir::Operation *const before = body.empty() ? nullptr : &body.back();
  const NodeReader reader(shared.file, node, name, shared.file.opset(node.domain()).value_or(0), operands,
                          shared.builder, shared.locationOf(name, results));
  if (node.output().empty())
    return reader.refuse("has no outputs");
  const ImportedValues imported = import(reader);
  if (reader.misread())
    return *reader.misread();
  if (!imported)
    return imported.error();
  nameResults(before ? std::next(before->getIterator()) : body.begin(), name, *imported, results);
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty())
      continue;
    if (i >= static_cast<int>((*imported).size()))
      return reader.refuse(
          fmt::format("the node has {} outputs, more than the operator has", node.output_size()));
    TILERIG_CHECK_OK(define(node.output(i), (*imported)[i]));
  }
  return success();
}

// Gives the operations made of a node their locations. An operation that computes a result of the node gets
// the name of the tensor; others are located as intermediate operations, without tensor. An operation with
// several results already has the names of all tensors of the node.
void GraphImporter::nameResults(mlir::Block::iterator first, const std::string &node, const Values &imported,
                                llvm::ArrayRef<mlir::Location> results) {
  for (mlir::Operation &operation : llvm::make_range(first, shared.builder.getInsertionPoint())) {
    const std::string own = graph::nodeName(operation.getLoc());
    if (own != node && !NodeReader::isPartOf(own, node))
      continue;
    if (operation.getNumResults() != 1) {
      // If an operation has several results, and the node's outputs are computed from them by further
      // operations such as transposes, the operation's location names no tensor.
      if (llvm::any_of(operation.getResults(),
                       [&](mlir::Value result) { return shared.open.openShape(result); }) ||
          llvm::none_of(operation.getResults(),
                        [&](mlir::Value result) { return llvm::is_contained(imported, result); }))
        operation.setLoc(shared.locationOf(own));
      continue;
    }
    const auto index = static_cast<size_t>(llvm::find(imported, operation.getResult(0)) - imported.begin());
    // A tensor that is held at its bound is not the tensor of the model.
    const bool isModels = index < results.size() && !shared.open.openShape(operation.getResult(0));
    operation.setLoc(isModels ? shared.locationOf(own, results[index]) : shared.locationOf(own));
  }
}

static bool isOfUnknownSize(mlir::Value value) { return value && !isSequence(value) && !isStatic(value); }

// Imports a node by its own importer, or else as an opaque operation.
ImportedValues GraphImporter::import(const NodeReader &reader) {
  const onnx::NodeProto &node = reader.proto();
  const bool isOnnx = domainOf(reader).empty();
  if (isOnnx && isRandom(node.op_type()))
    return reader.unsupportedHere("random operators are not supported, as their results cannot be compared");
  if (isOnnx && isSequenceOperator(node.op_type()))
    return importSequenceOperator(reader, shared.builder);
  const size_t first = llvm::find_if(reader.inputs(), isSequence) - reader.inputs().begin();
  const bool isCarried = isOnnx && node.op_type() == "Loop" && first >= 2;
  if (first < reader.inputs().size() && !isCarried) {
    if (isOnnx && node.op_type() == "Identity")
      return Values{reader.input(0)};
    if (!isOnnx || !(hasSubgraph(node) || findImporter(operatorName(reader))))
      return reader.unsupportedHere("the operator cannot read a sequence");
    return reader.refuse(fmt::format("input {} is a sequence of tensors, expected a tensor", first));
  }
  const bool isOpen = readsOpen(*this, reader);
  if (isOnnx && hasSubgraph(node)) {
    // What is erased below must not contain initialisers that other nodes read.
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        TILERIG_CHECK_OK(importCaptured(*this, attribute.g()));
    mlir::Operation *const last = lastOperation();
    ImportedValues imported = importSubgraphs(*this, reader);
    const bool isUnsupported = !imported && imported.error().kind == ErrorKind::unsupported,
               hasUnknownSizes = imported && llvm::any_of(*imported, isOfUnknownSize);
    // If results would have unknown sizes, a loop runs whole in the framework, if GrowingLoops.h bounds its sizes.
    const bool isPart = (isUnsupported && isOpen) ||
                        ((isUnsupported || hasUnknownSizes) && isBoundedGrowingLoop(*this, reader));
    if (!isPart)
      return imported;
    eraseBehind(last);
    ImportedValues part = importOpen(*this, reader);
    if (part || !hasUnknownSizes)
      return part;
    // If that fails, too, what was imported first stands.
    eraseBehind(last);
    return importSubgraphs(*this, reader);
  }
  if (isOpen)
    return importOpen(*this, reader);
  const Importer *importer = findImporter(operatorName(reader));
  for (size_t i = 0; importer && i < reader.inputs().size(); ++i)
    if (reader.has(i) && !isStatic(reader.input(i)))
      importer = nullptr;
  if (!importer)
    return keptOrOpen(reader);
  return importOwn(reader, *importer);
}

// Imports a node by its own importer, if that supports it.
ImportedValues GraphImporter::importOwn(const NodeReader &reader, const Importer &importer) {
  mlir::Operation *const last = lastOperation();
  ImportedValues imported = importer(reader);
  if (imported && llvm::is_contained(shared.options.tooLarge, reader.name())) {
    llvm::SmallVector<mlir::Type> types;
    for (const mlir::Value value :
         llvm::make_filter_range(*imported, [](mlir::Value each) { return bool(each); }))
      types.push_back(value.getType());
    eraseBehind(last);
    ImportedValues asIs = keepTooLargeNode(reader, shared.builder, types);
    if (asIs)
      return asIs;
    // The planner's error, which says how large the layer is, tells more than this one.
    eraseBehind(last);
    return importer(reader);
  }
  if (imported || imported.error().kind != ErrorKind::unsupported)
    return imported;
  // The importer of the operator failed, because of a data-dependent shape or an unsupported option. Its
  // operations are removed, and the node becomes opaque if its result types are known.
  eraseBehind(last);
  ImportedValues asIs = keptOrOpen(reader);
  return asIs ? std::move(asIs) : std::move(imported);
}

mlir::Operation *GraphImporter::lastOperation() const {
  mlir::Block *const block = shared.builder.getInsertionBlock();
  return block->empty() ? nullptr : &block->back();
}

// Keeps a node as an opaque operation; if the sizes of its results depend on data, as a part for the framework.
ImportedValues GraphImporter::keptOrOpen(const NodeReader &reader) {
  mlir::Operation *const last = lastOperation();
  ImportedValues asIs = kept(reader);
  if (asIs ? llvm::all_of(*asIs, isStatic) : asIs.error().kind != ErrorKind::unsupported)
    return asIs;
  if (asIs)
    eraseBehind(last);
  ImportedValues open = importOpen(*this, reader);
  return open || !asIs ? std::move(open) : kept(reader);
}

void GraphImporter::eraseBehind(mlir::Operation *last) {
  mlir::Block *const block = shared.builder.getInsertionBlock();
  while (!block->empty() && &block->back() != last) {
    shared.open.forget(block->back());
    block->back().erase();
  }
}

ImportedValues GraphImporter::kept(const NodeReader &reader) {
  return keepNode(reader, shared.builder, [this](const std::string &name) { return declaredType(name); });
}

Result<Values> GraphImporter::outputs() {
  Values results;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    TILERIG_TRY(const mlir::Value value, valueOf(output.name(), "the graph's outputs"));
    results.push_back(value);
  }
  return results;
}

ImportedValues GraphImporter::inlined(const onnx::GraphProto &inner, llvm::ArrayRef<mlir::Value> inputs,
                                      const std::string &innerPrefix) {
  GraphImporter importer(shared, inner, this, innerPrefix);
  ++shared.numNodes; // even an empty subgraph counts as a node, as unrolling a loop of such graphs takes time
  size_t next = 0;
  for (const onnx::ValueInfoProto &input : inner.input()) {
    if (importer.hasInitialiser(input.name()))
      continue;
    if (next < inputs.size())
      TILERIG_CHECK_OK(importer.define(input.name(), inputs[next]));
    ++next;
  }
  if (next != inputs.size())
    return invalidInput(shared.file.path(), fmt::format("subgraph '{}' has {} inputs, expected {}",
                                                        inner.name(), next, inputs.size()));
  TILERIG_CHECK_OK(importer.importNodes());
  return importer.outputs();
}

} // namespace tilerig::compiler
