#include "compiler/Graph/Import/FrameworkPart.h"

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/IR/TensorAttributes.h"

#include <google/protobuf/text_format.h>

namespace tilerig::compiler {

namespace {

// The operator set in which the nodes are written.
constexpr int64_t writtenOpset = 21;

constexpr const char *operatorOf(Symbol::Kind kind) {
  switch (kind) {
  case Symbol::Kind::least:
    return "Min";
  case Symbol::Kind::greatest:
    return "Max";
  case Symbol::Kind::quotient:
    return "Div";
  case Symbol::Kind::remainder:
    return "Mod";
  default:
    return "Where";
  }
}

} // namespace

std::string FrameworkPart::captured(mlir::Value value) {
  for (const auto &[other, name] : captures)
    if (other == value)
      return name;
  captures.emplace_back(value, fresh());
  return captures.back().second;
}

std::string FrameworkPart::ints(llvm::ArrayRef<int64_t> values) {
  std::string &name = constants[Ints(values)];
  if (!name.empty())
    return name;
  return name = initialiser(values, {static_cast<int64_t>(values.size())});
}

std::string FrameworkPart::scalar(int64_t value) { return initialiser({value}, {}); }

std::string FrameworkPart::initialiser(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> shape) {
  onnx::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(fresh());
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.mutable_dims()->Add(shape.begin(), shape.end());
  tensor.mutable_int64_data()->Add(values.begin(), values.end());
  return tensor.name();
}

std::string FrameworkPart::add(const std::string &type, llvm::ArrayRef<std::string> inputs,
                               llvm::ArrayRef<std::pair<std::string, int64_t>> integers) {
  onnx::NodeProto &added = *graph.add_node();
  added.set_op_type(type);
  for (const std::string &each : inputs)
    added.add_input(each);
  for (const auto &[name, value] : integers) {
    onnx::AttributeProto &attribute = *added.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }
  added.add_output(fresh());
  return added.output(0);
}

void FrameworkPart::add(const onnx::GraphProto &other) {
  graph.mutable_node()->MergeFrom(other.node());
  graph.mutable_initializer()->MergeFrom(other.initializer());
}

std::string FrameworkPart::symbol(unsigned index) {
  if (const auto entry = symbols.find(index); entry != symbols.end())
    return entry->second;
  const Symbol &symbol = open.symbol(index);
  std::string name;
  if (symbol.kind == Symbol::Kind::element) {
    const std::string list = add("Reshape", {captured(symbol.value), ints({-1})});
    name = add("Gather", {list, ints({symbol.index})}, {{"axis", 0}});
  } else if (symbol.kind == Symbol::Kind::selected) {
    const std::string condition = add("Reshape", {captured(symbol.value), ints({1})});
    name = add("Where", {condition, size(symbol.a), size(symbol.b)});
  } else {
    name = add(operatorOf(symbol.kind), {size(symbol.a), size(symbol.b)});
  }
  return symbols[index] = name;
}

std::string FrameworkPart::size(const Size &size) {
  std::string sum;
  for (const auto &[monomial, coefficient] : size.terms()) {
    std::string product;
    for (const unsigned index : monomial)
      product = product.empty() ? symbol(index) : add("Mul", {product, symbol(index)});
    if (product.empty())
      product = ints({coefficient});
    else if (coefficient != 1)
      product = add("Mul", {product, ints({coefficient})});
    sum = sum.empty() ? product : add("Add", {sum, product});
  }
  return sum.empty() ? ints({0}) : sum;
}

std::string FrameworkPart::sizes(llvm::ArrayRef<Size> sizes) {
  if (sizes.empty())
    return ints({});
  if (llvm::all_of(sizes, [](const Size &each) { return each.constant().has_value(); }))
    return ints(llvm::map_to_vector(sizes, [](const Size &each) { return *each.constant(); }));
  llvm::SmallVector<std::string> each;
  for (const Size &one : sizes)
    each.push_back(size(one));
  return each.size() == 1 ? each.front() : add("Concat", each, {{"axis", 0}});
}

std::string FrameworkPart::input(mlir::Value value, const std::string &name) {
  std::string inside = captured(value);
  if (const Sizes *shape = open.openShape(value)) {
    Ints axes;
    Sizes ends;
    for (const auto [axis, size] : llvm::enumerate(*shape))
      if (!size.constant()) {
        axes.push_back(static_cast<int64_t>(axis));
        ends.push_back(size);
      }
    inside = add("Slice", {inside, ints(Ints(axes.size(), 0)), sizes(ends), ints(axes)});
  }
  if (name.empty() || name == inside)
    return inside;
  onnx::NodeProto &renamed = *graph.add_node();
  renamed.set_op_type("Identity");
  renamed.add_input(inside);
  renamed.add_output(name);
  return name;
}

std::string FrameworkPart::filled(const std::string &name, mlir::RankedTensorType type,
                                  llvm::ArrayRef<int64_t> axes) {
  std::string filled = name;
  for (const int64_t axis : axes) {
    // One more element, 0, behind the last one, for an axis without elements.
    const std::string sizes = add("Shape", {filled});
    const std::string slab = add("ScatterElements", {sizes, ints({axis}), ints({1})}, {{"axis", 0}});
    const std::string zeros =
        add("Cast", {add("Expand", {ints({0}), slab})},
            {{"to", static_cast<int64_t>(onnxNumber(*dtypeOfElement(type.getElementType())))}});
    const std::string longer = add("Concat", {filled, zeros}, {{"axis", axis}});
    const std::string size = add("Gather", {sizes, ints({axis})}, {{"axis", 0}});
    const std::string last = add("Max", {add("Sub", {size, ints({1})}), ints({0})});
    const std::string range =
        add("Range", {scalar(0), scalar(type.getDimSize(static_cast<unsigned>(axis))), scalar(1)});
    filled = add("Gather", {longer, add("Min", {range, last})}, {{"axis", axis}});
  }
  return filled;
}

void FrameworkPart::result(const std::string &name, mlir::RankedTensorType type) {
  onnx::ValueInfoProto &output = *graph.add_output();
  output.set_name(name);
  onnx::TypeProto::Tensor &declared = *output.mutable_type()->mutable_tensor_type();
  declared.set_elem_type(onnxNumber(*dtypeOfElement(type.getElementType())));
  declared.mutable_shape();
  for (const int64_t size : type.getShape())
    declared.mutable_shape()->add_dim()->set_dim_value(size);
  types.push_back(type);
}

// Moves all nodes into a branch that runs only if the branches of the model that are being imported do. Otherwise the
// results are zeros.
void FrameworkPart::guard() {
  onnx::GraphProto inner = std::move(graph), zeros;
  graph = onnx::GraphProto();
  std::string all;
  for (const OpenTensors::Guard &each : open.guards) {
    std::string condition = add("Reshape", {captured(each.condition), initialiser({1}, {1})});
    if (!each.value)
      condition = add("Not", {condition});
    all = all.empty() ? condition : add("And", {all, condition});
  }
  onnx::NodeProto choice;
  choice.set_op_type("If");
  choice.add_input(all);
  zeros.set_name("skipped");
  inner.set_name("taken");
  for (const onnx::ValueInfoProto &output : inner.output()) {
    onnx::ValueInfoProto &own = *graph.add_output();
    own = output;
    own.set_name(fresh());
    choice.add_output(own.name());
    const onnx::TypeProto::Tensor &type = output.type().tensor_type();
    Ints shape;
    for (const auto &dimension : type.shape().dim())
      shape.push_back(dimension.dim_value());
    onnx::NodeProto &zero = *zeros.add_node(), &cast = *zeros.add_node();
    zero.set_op_type("ConstantOfShape");
    zero.add_input(initialiser(shape, {static_cast<int64_t>(shape.size())}));
    zero.add_output(fresh());
    cast.set_op_type("Cast");
    cast.add_input(zero.output(0));
    cast.add_output(fresh());
    onnx::AttributeProto &to = *cast.add_attribute();
    to.set_name("to");
    to.set_type(onnx::AttributeProto::INT);
    to.set_i(type.elem_type());
    onnx::ValueInfoProto &result = *zeros.add_output();
    result = output;
    result.set_name(cast.output(0));
  }
  for (const auto &[name, branch] : {std::pair("then_branch", &inner), std::pair("else_branch", &zeros)}) {
    onnx::AttributeProto &attribute = *choice.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = std::move(*branch);
  }
  *graph.add_node() = std::move(choice);
}

Result<Values> FrameworkPart::create(const std::string &operatorName) {
  if (!open.guards.empty())
    guard();
  graph.set_name(operatorName);
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(graph, &text))
    return internalError(node.name(), "a part for the framework cannot be printed");
  llvm::SmallVector<mlir::Attribute> names;
  Values operands;
  for (const auto &[value, name] : captures) {
    operands.push_back(value);
    names.push_back(builder.getStringAttr(name));
  }
  const auto body =
      graph::BodyAttr::get(builder.getContext(), builder.getArrayAttr(names), builder.getStringAttr(text));
  auto operation = graph::OpaqueOp::create(
      builder, node.place(), types, operands, graph::partDomain, writtenOpset, operatorName,
      builder.getDictionaryAttr(builder.getNamedAttr("graph", body)), llvm::ArrayRef<bool>());
  return Values(operation.getResults());
}

} // namespace tilerig::compiler
