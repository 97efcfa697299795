#include "compiler/Graph/Import/Opaque.h"

#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Import/HostTypes.h"
#include "compiler/Graph/Import/Subgraphs.h"

#include <fmt/core.h>
#include <map>
#include <set>

namespace tilerig::compiler {

namespace {

// The first version of the operator set in which an operator has its present meaning. Operators that are not
// in the table have always had it. `gone`: the operator no longer exists.
constexpr int64_t gone = INT64_MAX;

int64_t unchangedSince(const std::string &type) {
  static const std::map<std::string, int64_t> versions = {
      {"ArgMax", 12},
      {"ArgMin", 12},
      {"BatchNormalization", 15},
      {"Clip", 11},
      {"ConstantOfShape", 9},
      {"CumSum", 11},
      {"Dropout", 12},
      {"Expand", 8},
      {"GroupNormalization", 21},
      {"Hardmax", 13},
      {"LogSoftmax", 13},
      {"LpPool", 2},
      {"MaxPool", 8},
      {"OneHot", 11},
      {"PRelu", 7},
      {"Pad", 11},
      {"Range", 11},
      {"ReduceL1", 18},
      {"ReduceL2", 18},
      {"ReduceLogSum", 18},
      {"ReduceLogSumExp", 18},
      {"ReduceMax", 18},
      {"ReduceMean", 18},
      {"ReduceMin", 18},
      {"ReduceProd", 18},
      {"ReduceSum", 13},
      {"ReduceSumSquare", 18},
      {"Reshape", 5},
      {"Resize", 11},
      {"Slice", 10},
      {"Softmax", 13},
      {"Split", 13},
      {"Squeeze", 13},
      {"Tile", 6},
      {"TopK", 11},
      {"Unsqueeze", 13},
      {"Upsample", gone},
      {"Scan", 9},
      {"Cast", 6},
  };
  const auto entry = versions.find(type);
  return entry == versions.end() ? 0 : entry->second;
}

// A node converted to the form that its operator has in the newest operator set.
struct Renewed {
  std::string type;
  Values operands;
  mlir::NamedAttrList attributes;
};

void rename(mlir::NamedAttrList &attributes, mlir::OpBuilder &builder, llvm::StringRef name,
            const std::map<std::string, std::string> &values) {
  const auto old = llvm::dyn_cast_or_null<mlir::StringAttr>(attributes.get(name));
  if (const auto entry = old ? values.find(old.str()) : values.end(); entry != values.end())
    attributes.set(name, builder.getStringAttr(entry->second));
}

// The default axis of a softmax before operator set 13; since then it is the last axis.
constexpr int64_t oldSoftmaxAxis = 1;

// Whether this is a softmax or the like from before operator set 13, which took all axes from `axis` on together, and only
// the axis `axis` has more than one element. Then it means the same in the newest operator set.
bool isOldSoftmaxOfOneAxis(const NodeReader &node) {
  static const std::set<std::string> functions = {"Softmax", "LogSoftmax", "Hardmax"};
  if (node.opset() >= 13 || !functions.contains(node.proto().op_type()) || !node.has(0) ||
      !isStatic(node.input(0)))
    return false;
  const llvm::ArrayRef<int64_t> shape = graph::shapeOf(node.input(0));
  const int64_t axis = node.integer("axis", oldSoftmaxAxis),
                first = axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis;
  return first >= 0 && first < static_cast<int64_t>(shape.size()) &&
         llvm::all_of(shape.drop_front(static_cast<size_t>(first) + 1),
                      [](int64_t size) { return size == 1; });
}

// Whether this is a reduction of an operator set in which its axes are an attribute.
bool hasAxesAsAttribute(const NodeReader &node) {
  const std::string &type = node.proto().op_type();
  return type.starts_with("Reduce") && node.opset() < unchangedSince(type);
}

void moveAxes(const NodeReader &node, Renewed &form) {
  const std::optional<Ints> axes = node.integers("axes");
  if (!axes)
    return;
  Tensor tensor(DType::i64, {static_cast<int64_t>(axes->size())});
  std::ranges::copy(*axes, tensor.mutableAs<int64_t>().begin());
  form.operands.push_back(node.constantValue(tensor));
  form.attributes.erase("axes");
}

// Converts the node to the newest form of its operator, if the form has changed. isUnchanged() lists the same
// operators.
void renew(const NodeReader &node, mlir::OpBuilder &builder, Renewed &form) {
  if (form.type == "GridSample" && node.opset() < 20)
    rename(form.attributes, builder, "mode", {{"bilinear", "linear"}, {"bicubic", "cubic"}});
  if (form.type == "RoiAlign" && node.opset() < 16)
    form.attributes.set("coordinate_transformation_mode", builder.getStringAttr("output_half_pixel"));
  if (form.type == "Scatter")
    form.type = "ScatterElements";
  if (form.type == "DFT" && node.opset() < 20) {
    form.operands.resize(2);
    form.operands.push_back(node.constantValue(Tensor::scalar<int64_t>(node.integer("axis", 1))));
    form.attributes.erase("axis");
  }
}

Result<mlir::Attribute> attributeOf(const NodeReader &node, mlir::OpBuilder &builder,
                                    const onnx::AttributeProto &attribute) {
  using Proto = onnx::AttributeProto;
  switch (attribute.type()) {
  case Proto::INT:
    return mlir::Attribute(builder.getI64IntegerAttr(attribute.i()));
  case Proto::FLOAT:
    return mlir::Attribute(builder.getF32FloatAttr(attribute.f()));
  case Proto::STRING:
    return mlir::Attribute(builder.getStringAttr(attribute.s()));
  case Proto::INTS:
    return mlir::Attribute(
        builder.getDenseI64ArrayAttr(Ints(attribute.ints().begin(), attribute.ints().end())));
  case Proto::FLOATS:
    return mlir::Attribute(builder.getDenseF32ArrayAttr(
        llvm::SmallVector<float>(attribute.floats().begin(), attribute.floats().end())));
  case Proto::STRINGS:
    return mlir::Attribute(builder.getStrArrayAttr(
        llvm::SmallVector<llvm::StringRef>(attribute.strings().begin(), attribute.strings().end())));
  case Proto::TENSOR: {
    TILERIG_TRY(const Tensor tensor, node.tensor(attribute));
    return mlir::Attribute(compiler::attributeOf(*builder.getContext(), tensor, attribute.name()));
  }
  default:
    return node.unsupportedHere(fmt::format(
        "attribute '{}' is a subgraph, which is supported only in If, Loop and Scan", attribute.name()));
  }
}

Result<Renewed> renewed(const NodeReader &node, mlir::OpBuilder &builder) {
  Renewed form{node.proto().op_type(), node.inputs(), {}};
  for (const onnx::AttributeProto &attribute : node.proto().attribute()) {
    if (attribute.has_g() && hasSubgraph(node.proto()))
      continue; // keepNodeWithGraphs() adds it
    TILERIG_TRY(const mlir::Attribute value, attributeOf(node, builder, attribute));
    form.attributes.set(attribute.name(), value);
  }
  if (!domainOf(node).empty())
    return form;
  if (hasAxesAsAttribute(node))
    moveAxes(node, form);
  else if (isOldSoftmaxOfOneAxis(node))
    form.attributes.set("axis", builder.getI64IntegerAttr(node.integer("axis", oldSoftmaxAxis)));
  else if (node.opset() < unchangedSince(form.type))
    return node.unsupportedHere(
        unchangedSince(form.type) == gone
            ? std::string("the operator has been removed from the ONNX standard")
            : fmt::format("the form of the operator before operator set {} is not supported",
                          unchangedSince(form.type)));
  renew(node, builder, form);
  return form;
}

Values madeOpaque(const NodeReader &node, mlir::OpBuilder &builder, const Renewed &form,
                  llvm::ArrayRef<mlir::Type> types, const Values &captured) {
  llvm::SmallVector<bool> present;
  Values operands;
  for (mlir::Value operand : form.operands) {
    present.push_back(static_cast<bool>(operand));
    if (operand)
      operands.push_back(operand);
  }
  llvm::append_range(operands, captured);
  auto operation =
      graph::OpaqueOp::create(builder, node.place(), types, operands, domainOf(node), node.opset(), form.type,
                              form.attributes.getDictionary(builder.getContext()), present);
  return Values(operation.getResults());
}

} // namespace

std::string domainOf(const NodeReader &node) {
  const std::string &domain = node.proto().domain();
  return domain == "ai.onnx" ? "" : domain;
}

std::string operatorName(const NodeReader &node) {
  const std::string domain = domainOf(node);
  return domain.empty() ? node.proto().op_type() : domain + "." + node.proto().op_type();
}

ImportedValues keepNode(const NodeReader &node, mlir::OpBuilder &builder, const StatedType &statedType) {
  TILERIG_TRY(const HostTypes known, hostTypesOf(node));
  if (!known.empty() && node.numOutputs() > known.size())
    return node.refuse(fmt::format("the node has {} outputs, more than the operator has", node.numOutputs()));
  llvm::SmallVector<mlir::Type> types;
  for (size_t i = 0; i < node.numOutputs(); ++i) {
    const mlir::RankedTensorType stated = statedType(node.proto().output(static_cast<int>(i)));
    if (i < known.size())
      types.push_back(mergedTypes(known[i], stated));
    else if (stated)
      types.push_back(stated);
    else
      return node.unsupportedHere("the operator is unknown, and the model does not declare its output shape",
                                  "run ONNX's shape inference on the model");
  }
  TILERIG_TRY(const Renewed form, renewed(node, builder));
  return madeOpaque(node, builder, form, types, {});
}

ImportedValues keepTooLargeNode(const NodeReader &node, mlir::OpBuilder &builder,
                                llvm::ArrayRef<mlir::Type> types) {
  if (types.size() < node.numOutputs())
    return node.unsupportedHere("not all results of this form have a known type");
  // Before, many operators had other attributes, such as `broadcast` of Add.
  constexpr int64_t oldestAlike = 7;
  if (domainOf(node).empty() && node.opset() < oldestAlike)
    return node.unsupportedHere(
        fmt::format("the form of the operator before operator set {} is not supported", oldestAlike));
  TILERIG_TRY(const Renewed form, renewed(node, builder));
  Values values = madeOpaque(node, builder, form, types.take_front(node.numOutputs()), {});
  values.front().getDefiningOp()->setDiscardableAttr(tooLargeAttribute, builder.getUnitAttr());
  return values;
}

ImportedValues keepNodeWithGraphs(const NodeReader &node, mlir::OpBuilder &builder,
                                  llvm::ArrayRef<mlir::RankedTensorType> types,
                                  const std::map<std::string, KeptGraph> &graphs) {
  TILERIG_TRY(Renewed form, renewed(node, builder));
  Values captured; // in the order of the names, which is that of the attributes in a dictionary
  for (const auto &[name, graph] : graphs) {
    form.attributes.set(name, graph.attribute);
    llvm::append_range(captured, graph.captured);
  }
  return madeOpaque(node, builder, form, llvm::SmallVector<mlir::Type>(types), captured);
}

bool isUnchanged(const std::string &type, int64_t opset) {
  static const std::map<std::string, int64_t> renewedBefore = {
      {"GridSample", 20}, {"RoiAlign", 16}, {"Scatter", gone}, {"DFT", 20}};
  const auto entry = renewedBefore.find(type);
  return opset >= unchangedSince(type) && (entry == renewedBefore.end() || opset >= entry->second);
}

mlir::RankedTensorType mergedTypes(mlir::RankedTensorType known, mlir::RankedTensorType stated) {
  if (!stated || stated.getElementType() != known.getElementType() || stated.getRank() != known.getRank())
    return known;
  Ints shape(known.getShape());
  for (size_t i = 0; i < shape.size(); ++i)
    if (mlir::ShapedType::isDynamic(shape[i]))
      shape[i] = stated.getShape()[i];
  return mlir::RankedTensorType::get(shape, known.getElementType());
}

} // namespace tilerig::compiler
