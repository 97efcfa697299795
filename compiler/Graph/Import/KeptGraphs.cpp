#include "compiler/Graph/Import/KeptGraphs.h"

#include "compiler/Export/Export.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Import/Sequences.h"

#include <fmt/core.h>
#include <google/protobuf/text_format.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig::compiler {

namespace {

// Constants of the graph around a body are copied into the body up to this size; larger ones are captured.
constexpr size_t mostCopiedBytes = 1024;

// Adds the names of the tensors that a graph reads and does not define itself.
void addFreeNames(const onnx::GraphProto &graph, std::set<std::string> &names) {
  std::set<std::string> defined = {""}, read; // an optional input that is absent has an empty name
  for (const onnx::ValueInfoProto &input : graph.input())
    defined.insert(input.name());
  for (const onnx::TensorProto &initialiser : graph.initializer())
    defined.insert(initialiser.name());
  for (const onnx::NodeProto &node : graph.node()) {
    read.insert(node.input().begin(), node.input().end());
    defined.insert(node.output().begin(), node.output().end());
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        addFreeNames(attribute.g(), read);
  }
  for (const onnx::ValueInfoProto &output : graph.output())
    read.insert(output.name());
  std::ranges::set_difference(read, defined, std::inserter(names, names.end()));
}

Result<std::string> textOf(const NodeReader &node, const onnx::GraphProto &graph) {
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(graph, &text))
    return internalError(node.name(), "the loop body cannot be printed");
  return text;
}

graph::BodyAttr attributeFor(mlir::Builder &builder, const std::vector<std::string> &captures,
                             const std::string &text) {
  const auto names = llvm::map_to_vector(
      captures, [&](const std::string &name) -> mlir::Attribute { return builder.getStringAttr(name); });
  return graph::BodyAttr::get(builder.getContext(), builder.getArrayAttr(names), builder.getStringAttr(text));
}

// Attributes that became the second input of their operator, with the operator set in which they did.
struct MovedAttribute {
  std::string_view attribute;
  int64_t since;
};
const MovedAttribute *movedAttributeOf(const std::string &type) {
  static const std::map<std::string, MovedAttribute> moved = {
      {"ReduceL1", {"axes", 18}},        {"ReduceL2", {"axes", 18}},   {"ReduceLogSum", {"axes", 18}},
      {"ReduceLogSumExp", {"axes", 18}}, {"ReduceMax", {"axes", 18}},  {"ReduceMean", {"axes", 18}},
      {"ReduceMin", {"axes", 18}},       {"ReduceProd", {"axes", 18}}, {"ReduceSumSquare", {"axes", 18}},
      {"ReduceSum", {"axes", 13}},       {"Split", {"split", 13}},     {"Squeeze", {"axes", 13}},
      {"Unsqueeze", {"axes", 13}}};
  const auto entry = moved.find(type);
  return entry == moved.end() ? nullptr : &entry->second;
}

// The first node of a graph, or of its subgraphs, that cannot be exported as it is: its operator is not
// ONNX's, or has changed since this operator set. Null if there is none.
const onnx::NodeProto *firstChanged(const onnx::GraphProto &graph, int64_t opset) {
  for (const onnx::NodeProto &node : graph.node()) {
    const bool isOfOnnx = node.domain().empty() || node.domain() == "ai.onnx";
    if (!isOfOnnx || !(isUnchanged(node.op_type(), opset) || movedAttributeOf(node.op_type())))
      return &node;
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        if (const onnx::NodeProto *inner = firstChanged(attribute.g(), opset))
          return inner;
  }
  return nullptr;
}

bool isExternal(const onnx::TensorProto &tensor) {
  return tensor.data_location() == onnx::TensorProto::EXTERNAL;
}
bool hasExternalData(const onnx::GraphProto &graph) {
  return llvm::any_of(graph.initializer(), isExternal) ||
         llvm::any_of(graph.node(), [](const onnx::NodeProto &node) {
           return llvm::any_of(node.attribute(), [](const onnx::AttributeProto &attribute) {
             return (attribute.has_g() && hasExternalData(attribute.g())) ||
                    (attribute.has_t() && isExternal(attribute.t()));
           });
         });
}

// Converts attributes that are inputs today, in a graph and its subgraphs.
void renewAxes(onnx::GraphProto &graph, int64_t opset) {
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        renewAxes(*attribute.mutable_g(), opset);
    const MovedAttribute *const moved = movedAttributeOf(node.op_type());
    if (!moved || opset >= moved->since)
      continue;
    auto &attributes = *node.mutable_attribute();
    const auto old = llvm::find_if(attributes, [&](const onnx::AttributeProto &attribute) {
      return attribute.name() == moved->attribute;
    });
    if (old == attributes.end() || node.input_size() != 1)
      continue;
    onnx::TensorProto &values = *graph.add_initializer();
    values.set_name(fmt::format("{}.{}", node.output(0), moved->attribute));
    values.set_data_type(onnx::TensorProto::INT64);
    values.add_dims(old->ints_size());
    values.mutable_int64_data()->Add(old->ints().begin(), old->ints().end());
    node.add_input(values.name());
    attributes.erase(old);
  }
}

// The module of a loop's body while it is imported.
class BodyImport {
public:
  BodyImport(GraphImporter &around, const NodeReader &node, llvm::ArrayRef<mlir::Type> inputs)
      : around(around), node(node), builder(around.builder()), guard(builder),
        module(mlir::ModuleOp::create(node.place())) {
    builder.setInsertionPointToEnd(module->getBody());
    function = mlir::func::FuncOp::create(builder, node.place(), "main", builder.getFunctionType(inputs, {}));
    block = function.addEntryBlock();
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      nameArgument(i, fmt::format("body.input{}", i));
    builder.setInsertionPointToEnd(block);
  }

  Result<LoopBody> run(const onnx::GraphProto &graph) {
    TILERIG_TRY(Values results, around.inlined(graph, Values(block->getArguments()), node.name() + "/"));
    for (const mlir::Value result : results)
      TILERIG_CHECK_OK(checkIsTensor(node, result));
    removeSequences(*block);
    LoopBody body;
    for (mlir::Operation &operation : *block)
      for (mlir::OpOperand &operand : operation.getOpOperands())
        operand.set(inside(operand.get(), body));
    for (mlir::Value &result : results) {
      if (around.open().isOpen(result))
        return node.unsupportedHere("the size of a result of the loop body depends on data");
      result = inside(result, body);
      const auto type = llvm::dyn_cast<mlir::RankedTensorType>(result.getType());
      if (!type)
        return node.unsupportedHere("a result of the loop body is not a tensor");
      body.results.push_back(type);
    }
    mlir::func::ReturnOp::create(builder, node.place(), results);
    function.setType(
        builder.getFunctionType(block->getArgumentTypes(), mlir::ValueRange(results).getTypes()));
    TILERIG_TRY(body.attribute, attributeOf(body.captured.size()));
    return body;
  }

private:
  void nameArgument(unsigned index, const std::string &name) {
    function.setArgAttr(index, nameAttribute, builder.getStringAttr(name));
  }
  std::string captureName(size_t index) const { return fmt::format("body.capture{}", index); }

  // The value that the body reads for a value of the graph around it: a copy of a small constant, else a new
  // argument.
  mlir::Value inside(mlir::Value value, LoopBody &body) {
    if (!value || value.getParentBlock() == block)
      return value;
    mlir::Value &own = values[value];
    if (own)
      return own;
    auto constant = value.getDefiningOp<graph::ConstantOp>();
    if (constant && tensorOf(constant.getValue()).bytes().size() <= mostCopiedBytes) {
      const mlir::OpBuilder::InsertionGuard atFront(builder);
      builder.setInsertionPointToStart(block);
      return own = builder.clone(*constant.getOperation())->getResult(0);
    }
    own = block->addArgument(value.getType(), value.getLoc());
    function.setType(builder.getFunctionType(block->getArgumentTypes(), {}));
    nameArgument(own.getParentBlock()->getNumArguments() - 1, captureName(body.captured.size()));
    body.captured.push_back(value);
    return own;
  }

  Result<graph::BodyAttr> attributeOf(size_t captures) {
    TILERIG_TRY(ExportedModel model, exported(*module));
    if (model.proto.opset_import_size() > 1)
      return node.unsupportedHere(fmt::format("the loop body has operators of the domain '{}'",
                                              model.proto.opset_import(1).domain()));
    onnx::GraphProto &graph = *model.proto.mutable_graph();
    std::vector<std::string> names;
    for (size_t i = 0; i < captures; ++i) {
      names.push_back(captureName(i));
      graph.mutable_input()->RemoveLast();
    }
    TILERIG_TRY(const std::string text, textOf(node, graph));
    return attributeFor(builder, names, text);
  }

  GraphImporter &around;
  const NodeReader &node;
  mlir::OpBuilder &builder;
  mlir::OpBuilder::InsertionGuard guard;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  mlir::Block *block = nullptr;
  // The values that the body reads, by the values of the graph around it.
  llvm::DenseMap<mlir::Value, mlir::Value> values;
};

// Keeps a body as the model has it. The types of its outputs are those that the model declares.
Result<LoopBody> bodyAsIs(GraphImporter &around, const NodeReader &node, const onnx::GraphProto &graph) {
  LoopBody body;
  TILERIG_TRY(static_cast<KeptGraph &>(body), graphAsIs(around, node, graph));
  for (const onnx::ValueInfoProto &output : graph.output()) {
    const mlir::RankedTensorType type = around.typeOf(output);
    if (!type)
      return node.unsupportedHere(
          fmt::format("the model does not declare the shape of the loop body's output '{}'", output.name()),
          "run ONNX's shape inference on the model");
    body.results.push_back(type);
  }
  return body;
}

} // namespace

std::set<std::string> namesReadBy(const onnx::GraphProto &graph) {
  std::set<std::string> names;
  addFreeNames(graph, names);
  return names;
}

Status renewGraph(const NodeReader &node, onnx::GraphProto &graph) {
  renewAxes(graph, node.opset());
  if (const onnx::NodeProto *changed = firstChanged(graph, node.opset()))
    return node.unsupportedHere(
        fmt::format(
            "a subgraph has the operator {}, which is not ONNX's or has changed since operator set {}",
            changed->op_type(), node.opset()),
        "convert the model to a newer operator set");
  if (hasExternalData(graph))
    return node.unsupportedHere("a subgraph has initialisers in another file");
  return success();
}

Result<KeptGraph> graphAsIs(GraphImporter &around, const NodeReader &node, onnx::GraphProto graph) {
  TILERIG_CHECK_OK(renewGraph(node, graph));
  KeptGraph kept;
  const std::set<std::string> names = namesReadBy(graph);
  for (const std::string &name : names) {
    TILERIG_TRY(const mlir::Value value, around.valueOf(name, node.name()));
    if (isSequence(value))
      return node.unsupportedHere("a subgraph reads a sequence from the graph around it");
    if (around.open().isOpen(value))
      return node.unsupportedHere("a subgraph reads a tensor whose size depends on data");
    kept.captured.push_back(value);
  }
  TILERIG_TRY(const std::string text, textOf(node, graph));
  kept.attribute = attributeFor(around.builder(), {names.begin(), names.end()}, text);
  return kept;
}

Result<KeptGraph> graphReturning(GraphImporter &around, const NodeReader &node, const Values &values) {
  onnx::GraphProto graph;
  graph.set_name("values");
  std::vector<std::string> names;
  for (const auto [i, value] : llvm::enumerate(values)) {
    const auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
    names.push_back(fmt::format("value{}", i));
    onnx::NodeProto &copy = *graph.add_node();
    copy.set_op_type("Identity");
    copy.add_input(names.back());
    copy.add_output(fmt::format("result{}", i));
    onnx::ValueInfoProto &output = *graph.add_output();
    output.set_name(copy.output(0));
    onnx::TypeProto::Tensor &declared = *output.mutable_type()->mutable_tensor_type();
    declared.set_elem_type(onnxNumber(*dtypeOfElement(type.getElementType())));
    for (const int64_t size : type.getShape())
      declared.mutable_shape()->add_dim()->set_dim_value(size);
  }
  TILERIG_TRY(const std::string text, textOf(node, graph));
  return KeptGraph{attributeFor(around.builder(), names, text), values};
}

Status importCaptured(GraphImporter &around, const onnx::GraphProto &subgraph) {
  for (const std::string &name : namesReadBy(subgraph))
    if (around.isVisible(name))
      TILERIG_CHECK_OK(around.valueOf(name, "a subgraph"));
  return success();
}

Result<LoopBody> importBody(GraphImporter &around, const NodeReader &node, const onnx::GraphProto &body,
                            llvm::ArrayRef<mlir::Type> inputs) {
  Result<LoopBody> imported = BodyImport(around, node, inputs).run(body);
  if (imported || imported.error().kind != ErrorKind::unsupported)
    return imported;
  return bodyAsIs(around, node, body);
}

ImportedValues keepLoop(GraphImporter &around, const NodeReader &node, const LoopBody &body,
                        TensorTypes types) {
  for (size_t i = 0; i < types.size(); ++i)
    types[i] = mergedTypes(types[i], around.declaredType(node.proto().output(static_cast<int>(i))));
  return keepNodeWithGraphs(node, around.builder(), types, {{"body", body}});
}

} // namespace tilerig::compiler
