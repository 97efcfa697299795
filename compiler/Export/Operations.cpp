#include "compiler/Export/Operations.h"

#include "compiler/Export/Renaming.h"
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"

#include <google/protobuf/text_format.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace graph;

// Attributes of MLIR operations that ONNX does not have: which optional operands are present, and whether
// images have their channels last.
constexpr llvm::StringLiteral segmentSizes = "operandSegmentSizes", channelsLast = "channelsLast";

// Creates the node of an operation, with its operands in order; absent operands become empty names.
class Writing {
public:
  Writing(mlir::Operation *operation, ModelWriter &writer) : operation(operation), writer(writer) {}

  template <class... Operands>
  onnx::NodeProto &node(llvm::StringRef type, Operands... operands) const {
    return writer.addNode(type, operation, {writer.nameOf(operands)...});
  }
  std::string ints(llvm::ArrayRef<int64_t> values, const char *suffix) const {
    return writer.addInts(values, writer.nameOf(operation->getResult(0)) + "." + suffix);
  }
  std::string integer(int64_t value, const char *suffix) const {
    return writer.addInt(value, writer.nameOf(operation->getResult(0)) + "." + suffix);
  }
  std::string floats(llvm::ArrayRef<float> values, const char *suffix) const {
    return writer.addFloats(values, writer.nameOf(operation->getResult(0)) + "." + suffix);
  }
  onnx::NodeProto &named(llvm::StringRef type, llvm::ArrayRef<std::string> inputs) const {
    return writer.addNode(type, operation, inputs);
  }
  std::string name(mlir::Value value) const { return writer.nameOf(value); }
  // Adds a subgraph to a node, from its text. `captured` has the names of the tensors that it reads from the
  // graph around it. Returns false if the text is no graph.
  bool addBody(onnx::NodeProto &node, const std::string &attributeName, const std::string &text,
               std::map<std::string, std::string> captured) const {
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(attributeName);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    if (!google::protobuf::TextFormat::ParseFromString(text, attribute.mutable_g()))
      return false;
    Renaming(writer, name(operation->getResult(0)) + "." + attributeName, std::move(captured))
        .renameIn(*attribute.mutable_g());
    return true;
  }

private:
  mlir::Operation *operation;
  ModelWriter &writer;
};

float real(const llvm::APFloat &value) { return value.convertToFloat(); }

void setAny(onnx::NodeProto &node, const std::string &name, mlir::Attribute value) {
  llvm::TypeSwitch<mlir::Attribute>(value)
      .Case([&](mlir::IntegerAttr attribute) { setAttribute(node, name, attribute.getInt()); })
      .Case([&](mlir::FloatAttr attribute) { setAttribute(node, name, real(attribute.getValue())); })
      .Case([&](mlir::StringAttr attribute) { setAttribute(node, name, attribute.getValue()); })
      .Case([&](mlir::DenseI64ArrayAttr attribute) { setAttribute(node, name, attribute.asArrayRef()); })
      .Case([&](mlir::DenseF32ArrayAttr attribute) { setAttribute(node, name, attribute.asArrayRef()); })
      .Case([&](mlir::ArrayAttr attribute) { setAttribute(node, name, attribute); })
      .Case([&](mlir::ElementsAttr attribute) { setAttribute(node, name, tensorOf(attribute)); });
}

// The names of the operands in the order of their definition; empty for optional ones that are absent.
llvm::SmallVector<std::string> operandNames(mlir::Operation *operation, ModelWriter &writer) {
  const auto nameOf = [&](mlir::Value operand) { return writer.nameOf(operand); };
  const auto sizes = llvm::dyn_cast_or_null<mlir::DenseI32ArrayAttr>(
      operation->getInherentAttr(segmentSizes).value_or(nullptr));
  if (!sizes)
    return llvm::map_to_vector(operation->getOperands(), nameOf);
  llvm::SmallVector<std::string> names;
  auto operand = operation->operand_begin();
  for (const int32_t size : sizes.asArrayRef()) {
    if (size == 0)
      names.emplace_back();
    for (int32_t i = 0; i < size; ++i)
      names.push_back(nameOf(*operand++));
  }
  return names;
}

// Whether setAny() can write the attribute to ONNX. It cannot write enumerators, because these are 32-bit
// integers in MLIR, but strings in ONNX.
bool isPlainAttribute(mlir::Attribute value) {
  const auto integer = llvm::dyn_cast_or_null<mlir::IntegerAttr>(value);
  return !value || (integer ? integer.getType().isInteger(64)
                            : llvm::isa<mlir::UnitAttr, mlir::FloatAttr, mlir::StringAttr,
                                        mlir::DenseI64ArrayAttr, mlir::DenseF32ArrayAttr>(value));
}

// Writes an operation that is an ONNX operator as a node with the same operands and attributes; see Graph_Op
// in GraphBase.td. Returns null if the operation and the ONNX operator differ in more than that.
onnx::NodeProto *writeAsDefined(mlir::Operation *operation, ModelWriter &writer) {
  auto definition = llvm::dyn_cast<OnnxOperator>(operation);
  const auto valueOf = [&](mlir::StringAttr name) { return *operation->getInherentAttr(name); };
  const auto isLayout = [](llvm::StringRef name) { return name == segmentSizes || name == channelsLast; };
  const llvm::ArrayRef<mlir::StringAttr> names = operation->getName().getAttributeNames();
  if (!definition || !llvm::all_of(names, [&](mlir::StringAttr name) {
        return isLayout(name) || isPlainAttribute(valueOf(name));
      }))
    return nullptr;
  onnx::NodeProto &node =
      writer.addNode(definition.getOnnxType(), operation, operandNames(operation, writer));
  for (const mlir::StringAttr name : names) {
    if (isLayout(name))
      continue;
    if (const mlir::Attribute value = valueOf(name); value && !llvm::isa<mlir::UnitAttr>(value))
      setAny(node, definition.getOnnxName(name), value);
    else
      setAttribute(node, definition.getOnnxName(name), int64_t{value ? 1 : 0});
  }
  return &node;
}

// Writes a convolution. The size of its kernel is an attribute in ONNX.
template <class Op>
void convolution(Op op, ModelWriter &writer) {
  setAttribute(*writeAsDefined(op, writer), "kernel_shape", shapeOf(op.getWeights()).drop_front(2));
}

// Writes a reduction. Since operator set 18, most reductions take their axes as an input.
template <class Op>
void reduction(Op op, const Writing &to) {
  onnx::NodeProto &node = to.named(Op::onnxType, {to.name(op.getInput()), to.ints(op.getAxes(), "axes")});
  setAttribute(node, "keepdims", int64_t{op.getKeepdims()});
  if (op.getAxes().empty())
    setAttribute(node, "noop_with_empty_axes", int64_t{1});
}

void expand(ExpandOp op, const Writing &to) {
  to.named("Expand", {to.name(op.getInput()), to.ints(shapeOf(op.getOutput()), "shape")});
}

void reshape(ReshapeOp op, const Writing &to) {
  const llvm::ArrayRef<int64_t> shape = shapeOf(op.getOutput());
  onnx::NodeProto &node = to.named("Reshape", {to.name(op.getInput()), to.ints(shape, "shape")});
  if (llvm::is_contained(shape, 0)) // else 0 would mean the input's size
    setAttribute(node, "allowzero", int64_t{1});
}

void slice(SliceOp op, const Writing &to) {
  llvm::SmallVector<int64_t> ends(op.getEnds()), axes;
  for (size_t i = 0; i < ends.size(); ++i) {
    // In graph.slice, the end -1 means the position in front of element 0; in ONNX, the last element.
    if (op.getSteps()[i] < 0 && ends[i] == -1)
      ends[i] = INT64_MIN;
    axes.push_back(static_cast<int64_t>(i));
  }
  to.named("Slice", {to.name(op.getInput()), to.ints(op.getStarts(), "starts"), to.ints(ends, "ends"),
                     to.ints(axes, "axes"), to.ints(op.getSteps(), "steps")});
}

// Writes attention as a chain of operators (Transpose, MatMul, ..., Softmax), as exporters write it.
void attention(AttentionOp op, const Writing &to, ModelWriter &writer) {
  const std::string result = to.name(op.getOutput()), node = nodeName(op.getLoc());
  const auto part = [&](llvm::StringRef type, llvm::ArrayRef<std::string> inputs, const char *suffix) {
    const std::string name = writer.freshName(result + "." + suffix);
    onnx::NodeProto &partNode = writer.addNode(type, name, inputs, name);
    return std::pair<std::string, onnx::NodeProto *>(name, &partNode);
  };
  const auto [keys, transpose] = part("Transpose", {to.name(op.getK())}, "keys");
  const size_t rank = shapeOf(op.getK()).size();
  Order perm = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(perm[rank - 2], perm[rank - 1]);
  setAttribute(*transpose, "perm", perm);
  std::string scores = part("MatMul", {to.name(op.getQ()), keys}, "scores").first;
  const auto number = [&](double value, const char *suffix) {
    const DType type = *dtypeOfElement(tensorType(op.getQ()).getElementType());
    return writer.addConstant(floatTensor(type, {}, {value}), result + "." + suffix);
  };
  scores = part("Mul", {scores, number(op.getScale().convertToDouble(), "scale")}, "scaled").first;
  const auto fill = [&] {
    const std::string with = number(op.getFill()->convertToDouble(), "fill");
    scores = op.getFillsChosen() ? part("Where", {to.name(op.getChoice()), with, scores}, "filled").first
                                 : part("Where", {to.name(op.getChoice()), scores, with}, "filled").first;
  };
  if (op.getChoice() && op.getFillFirst())
    fill();
  if (op.getMask())
    scores = part("Add", {scores, to.name(op.getMask())}, "masked").first;
  if (op.getChoice() && !op.getFillFirst())
    fill();
  const auto softmax = part("Softmax", {scores}, "weights");
  setAttribute(*softmax.second, "axis", int64_t{-1});
  std::string weights = softmax.first;
  if (op.getNanIsZero()) {
    const std::string isNaN = part("IsNaN", {weights}, "undefined").first;
    weights = part("Where", {isNaN, number(0, "zero"), weights}, "guarded").first;
  }
  to.named("MatMul", {weights, to.name(op.getV())});
}

// Writes a QuantizeLinear. Its result has the type of its zero point; without a zero point, an attribute
// states the type.
void quantize(QuantizeLinearOp op, ModelWriter &writer) {
  onnx::NodeProto &node = *writeAsDefined(op, writer);
  if (!op.getZeroPoint())
    setAttribute(node, "output_dtype",
                 int64_t{onnxNumber(*dtypeOfElement(tensorType(op.getOutput()).getElementType()))});
}

// --- Indexing ---

void scatter(ScatterElementsOp op, const Writing &to) {
  onnx::NodeProto &node = to.node("ScatterElements", op.getInput(), op.getIndices(), op.getUpdates());
  setAttribute(node, "axis", static_cast<int64_t>(op.getAxis()));
  setAttribute(node, "reduction", stringifyScatterReduction(op.getReduction()));
}

void topK(TopKOp op, const Writing &to) {
  onnx::NodeProto &node =
      to.named("TopK", {to.name(op.getInput()), to.ints({static_cast<int64_t>(op.getK())}, "k")});
  setAttribute(node, "axis", static_cast<int64_t>(op.getAxis()));
  setAttribute(node, "largest", int64_t{op.getLargest()});
  setAttribute(node, "sorted", int64_t{op.getIsSorted()});
}

void cumSum(CumSumOp op, const Writing &to) {
  onnx::NodeProto &node =
      to.named("CumSum", {to.name(op.getInput()), to.integer(static_cast<int64_t>(op.getAxis()), "axis")});
  setAttribute(node, "exclusive", int64_t{op.getExclusive()});
  setAttribute(node, "reverse", int64_t{op.getReverse()});
}

// --- Sampling ---

// Writes a Resize with scales or sizes. Axes that have size -1 in the operation are left out of the node.
void resize(ResizeOp op, const Writing &to) {
  llvm::SmallVector<int64_t> axes, sizes;
  const size_t rank = shapeOf(op.getInput()).size();
  llvm::SmallVector<float> begins, ends;
  for (size_t i = 0; i < rank; ++i) {
    if (!op.getSizes().empty() && op.getSizes()[i] == -1)
      continue;
    axes.push_back(static_cast<int64_t>(i));
    if (!op.getSizes().empty())
      sizes.push_back(op.getSizes()[i]);
    if (!op.getRegion().empty()) {
      begins.push_back(op.getRegion()[i]);
      ends.push_back(op.getRegion()[rank + i]);
    }
  }
  begins.append(ends);
  onnx::NodeProto &node =
      to.named("Resize", {to.name(op.getInput()), begins.empty() ? "" : to.floats(begins, "roi"),
                          op.getScales().empty() ? "" : to.floats(op.getScales(), "scales"),
                          op.getSizes().empty() ? "" : to.ints(sizes, "sizes")});
  if (axes.size() != rank)
    setAttribute(node, "axes", llvm::ArrayRef(axes));
  setAttribute(node, "mode", stringifyResizeMode(op.getMode()));
  setAttribute(node, "coordinate_transformation_mode", stringifyCoordinates(op.getCoordinates()));
  setAttribute(node, "nearest_mode", stringifyNearestMode(op.getNearest()));
  if (!op.getSizes().empty())
    setAttribute(node, "keep_aspect_ratio_policy", stringifyAspectPolicy(op.getPolicy()));
  setAttribute(node, "cubic_coeff_a", real(op.getCubicCoefficient()));
  setAttribute(node, "extrapolation_value", real(op.getExtrapolation()));
  setAttribute(node, "exclude_outside", int64_t{op.getExcludeOutside()});
  setAttribute(node, "antialias", int64_t{op.getAntialias()});
}

// --- Recurrent ---

template <class Op>
onnx::NodeProto &recurrent(Op op, onnx::NodeProto &node) {
  setAttribute(node, "direction", stringifyDirection(op.getDirection()));
  setAttribute(node, "hidden_size", static_cast<int64_t>(op.getHidden()));
  setAttribute(node, "activations", op.getActivations());
  if (!op.getAlphas().empty())
    setAttribute(node, "activation_alpha", op.getAlphas());
  if (!op.getBetas().empty())
    setAttribute(node, "activation_beta", op.getBetas());
  if (real(op.getClip()) != 0)
    setAttribute(node, "clip", real(op.getClip()));
  return node;
}

void lstm(LstmOp op, const Writing &to) {
  onnx::NodeProto &node =
      to.node("LSTM", op.getInput(), op.getWeights(), op.getRecurrence(), op.getBias(), op.getLengths(),
              op.getInitialState(), op.getInitialCell(), op.getPeepholes());
  setAttribute(recurrent(op, node), "input_forget", int64_t{op.getInputForget()});
}
void gru(GruOp op, const Writing &to) {
  onnx::NodeProto &node = to.node("GRU", op.getInput(), op.getWeights(), op.getRecurrence(), op.getBias(),
                                  op.getLengths(), op.getInitialState());
  setAttribute(recurrent(op, node), "linear_before_reset", int64_t{op.getLinearBeforeReset()});
}

// --- Opaque ---

// Writes the nodes of a part (graph::partDomain); returns false if its text is no ONNX graph.
bool part(OpaqueOp op, const Writing &to, ModelWriter &writer) {
  const BodyAttr body = bodiesOf(op.getNodeAttributes()).front().second;
  onnx::GraphProto graph;
  if (!google::protobuf::TextFormat::ParseFromString(body.getGraph().str(), &graph) ||
      graph.output_size() != static_cast<int>(op.getNumResults()))
    return false;
  std::map<std::string, std::string> names;
  for (const auto [name, value] :
       llvm::zip_equal(body.getCaptures().getAsValueRange<mlir::StringAttr>(), op.getInputs()))
    names[name.str()] = to.name(value);
  for (const auto [output, value] : llvm::zip_equal(graph.output(), op.getOutputs()))
    names.try_emplace(output.name(), to.name(value));
  const std::string base = to.name(op.getResult(0));
  for (const onnx::TensorProto &initialiser : graph.initializer())
    names[initialiser.name()] = writer.addInitialiser(initialiser, base + "." + initialiser.name());
  Renaming renaming(writer, base, std::move(names));
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    renaming.renameIn(node);
    node.set_name(nodeName(op.getLoc()));
    writer.addNode(std::move(node));
  }
  return true;
}

// Writes an opaque operation; returns false if a subgraph is no ONNX graph.
bool opaque(OpaqueOp op, const Writing &to, ModelWriter &writer) {
  if (op.getDomain() == partDomain)
    return part(op, to, writer);
  llvm::SmallVector<std::string> inputs;
  size_t next = 0;
  for (const bool isPresent : op.getPresent())
    inputs.push_back(isPresent ? to.name(op.getInputs()[next++]) : "");
  onnx::NodeProto &node = to.named(op.getNodeType(), inputs);
  node.set_domain(op.getDomain().str());
  setAttributes(node, op.getNodeAttributes());
  for (const auto &[name, body] : bodiesOf(op.getNodeAttributes())) {
    std::map<std::string, std::string> captured;
    for (const llvm::StringRef tensor : body.getCaptures().getAsValueRange<mlir::StringAttr>())
      captured[tensor.str()] = to.name(op.getInputs()[next++]);
    if (!to.addBody(node, name.str(), body.getGraph().str(), std::move(captured)))
      return false;
  }
  return true;
}

// Whether an operation on images has its channels last instead of in ONNX's axis order.
bool hasChannelsLast(mlir::Operation *operation) {
  const std::optional<mlir::Attribute> attribute = operation->getInherentAttr(channelsLast);
  return attribute && *attribute;
}

bool writeAsItIs(mlir::Operation *operation, ModelWriter &writer) {
  const Writing to(operation, writer);
  bool isKnown = true;
  llvm::TypeSwitch<mlir::Operation *>(operation)
      .Case<ReduceL1Op, ReduceL2Op, ReduceLogSumOp, ReduceLogSumExpOp, ReduceMaxOp, ReduceMeanOp, ReduceMinOp,
            ReduceProdOp, ReduceSumOp, ReduceSumSquareOp>([&](auto op) { reduction(op, to); })
      .Case([&](ReshapeOp op) { reshape(op, to); })
      .Case([&](ExpandOp op) { expand(op, to); })
      .Case<ConvOp, ConvTransposeOp, QLinearConvOp, ConvIntegerOp>([&](auto op) { convolution(op, writer); })
      .Case([&](GeluOp op) {
        setAttribute(to.node("Gelu", op.getInput()), "approximate",
                     llvm::StringRef(op.getTanh() ? "tanh" : "none"));
      })
      .Case([&](SiluOp op) {
        const std::string gate = writer.freshName(to.name(op.getOutput()) + ".sigmoid");
        writer.addNode("Sigmoid", gate, {to.name(op.getInput())}, gate);
        to.named("Mul", {to.name(op.getInput()), gate});
      })
      .Case([&](CastOp op) {
        setAttribute(to.node("Cast", op.getInput()), "to",
                     int64_t{onnxNumber(*dtypeOfElement(tensorType(op.getOutput()).getElementType()))});
      })
      .Case([&](SliceOp op) { slice(op, to); })
      .Case([&](TileOp op) {
        to.named("Tile", {to.name(op.getInput()), to.ints(op.getRepeats(), "repeats")});
      })
      .Case([&](DepthToSpaceOp op) {
        onnx::NodeProto &node = to.node("DepthToSpace", op.getInput());
        setAttribute(node, "blocksize", static_cast<int64_t>(op.getBlockSize()));
        setAttribute(node, "mode", llvm::StringRef(op.getColumnsFirst() ? "CRD" : "DCR"));
      })
      .Case([&](PadOp op) {
        setAttribute(
            to.named("Pad", {to.name(op.getInput()), to.ints(op.getPads(), "pads"), to.name(op.getValue())}),
            "mode", stringifyPadMode(op.getMode()));
      })
      .Case([&](AttentionOp op) { attention(op, to, writer); })
      .Case([&](BitShiftOp op) {
        setAttribute(to.node("BitShift", op.getA(), op.getB()), "direction",
                     llvm::StringRef(op.getLeft() ? "LEFT" : "RIGHT"));
      })
      .Case([&](QuantizeLinearOp op) { quantize(op, writer); })
      .Case([&](ScatterElementsOp op) { scatter(op, to); })
      .Case([&](ScatterNDOp op) {
        setAttribute(to.node("ScatterND", op.getInput(), op.getIndices(), op.getUpdates()), "reduction",
                     stringifyScatterReduction(op.getReduction()));
      })
      .Case([&](OneHotOp op) {
        setAttribute(to.named("OneHot", {to.name(op.getIndices()),
                                         to.integer(static_cast<int64_t>(op.getDepth()), "depth"),
                                         to.name(op.getValues())}),
                     "axis", static_cast<int64_t>(op.getAxis()));
      })
      .Case([&](CumSumOp op) { cumSum(op, to); })
      .Case([&](TriluOp op) {
        setAttribute(to.named("Trilu", {to.name(op.getInput()),
                                        to.integer(static_cast<int64_t>(op.getDiagonal()), "k")}),
                     "upper", int64_t{op.getUpper()});
      })
      .Case([&](TopKOp op) { topK(op, to); })
      .Case([&](ResizeOp op) { resize(op, to); })
      .Case([&](LstmOp op) { lstm(op, to); })
      .Case([&](GruOp op) { gru(op, to); })
      .Case([&](RnnOp op) {
        recurrent(op, to.node("RNN", op.getInput(), op.getWeights(), op.getRecurrence(), op.getBias(),
                              op.getLengths(), op.getInitialState()));
      })
      .Case([&](OpaqueOp op) { isKnown = opaque(op, to, writer); })
      .Default([&](mlir::Operation *) { isKnown = writeAsDefined(operation, writer) != nullptr; });
  return isKnown;
}

} // namespace

void setAttributes(onnx::NodeProto &node, mlir::DictionaryAttr attributes) {
  for (const mlir::NamedAttribute &attribute : attributes)
    setAny(node, attribute.getName().str(), attribute.getValue());
}

bool writeOperation(mlir::Operation *operation, ModelWriter &writer) {
  if (!hasChannelsLast(operation))
    return writeAsItIs(operation, writer);
  // The operation has the channels last, but ONNX's operator has them first, so two transposes surround it.
  const mlir::Value image = operation->getOperand(0), result = operation->getResult(0);
  const std::string from = writer.nameOf(image), to = writer.nameOf(result);
  const auto origin = tensorOrigin(result);
  const std::string before = writer.freshName(from + ".channels_first"),
                    after = writer.freshName(origin ? origin->name : to + ".channels_first");
  const size_t rank = shapeOf(image).size();
  setAttribute(writer.addNode("Transpose", before, {from}, before), "perm", toChannelsFirst(rank));
  writer.setName(image, before);
  writer.setName(result, after);
  const bool isKnown = writeAsItIs(operation, writer);
  writer.setName(image, from);
  writer.setName(result, to);
  setAttribute(writer.addNode("Transpose", to, {after}, to), "perm", toChannelsLast(rank));
  return isKnown;
}

} // namespace tilerig::compiler
