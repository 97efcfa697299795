#include "compiler/Export/Operations.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"

#include <llvm/ADT/Sequence.h>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using namespace graph;

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

private:
  mlir::Operation *operation;
  ModelWriter &writer;
};

template <class Op>
void plain(Op op, const Writing &to) {
  llvm::SmallVector<std::string> inputs;
  for (mlir::Value operand : op->getOperands())
    inputs.push_back(to.name(operand));
  to.named(Op::onnxType, inputs);
}

template <class Op>
onnx::NodeProto &windows(Op op, onnx::NodeProto &node, llvm::ArrayRef<int64_t> kernel) {
  setAttribute(node, "kernel_shape", kernel);
  setAttribute(node, "strides", op.getStrides());
  setAttribute(node, "dilations", op.getDilations());
  setAttribute(node, "pads", op.getPads());
  return node;
}

template <class Op>
onnx::NodeProto &pool(Op op, const Writing &to) {
  onnx::NodeProto &node = windows(op, to.node(Op::onnxType, op.getInput()), op.getKernel());
  setAttribute(node, "ceil_mode", int64_t{op.getCeilMode()});
  return node;
}

// Writes a reduction. Since operator set 18, most reductions take their axes as an input.
template <class Op>
void reduction(Op op, const Writing &to) {
  onnx::NodeProto &node = to.named(Op::onnxType, {to.name(op.getInput()), to.ints(op.getAxes(), "axes")});
  setAttribute(node, "keepdims", int64_t{op.getKeepdims()});
  if (op.getAxes().empty())
    setAttribute(node, "noop_with_empty_axes", int64_t{1});
}

template <class Op>
void extreme(Op op, const Writing &to) {
  onnx::NodeProto &node = to.node(Op::onnxType, op.getInput());
  setAttribute(node, "axis", static_cast<int64_t>(op.getAxis()));
  setAttribute(node, "keepdims", int64_t{op.getKeepdims()});
  setAttribute(node, "select_last_index", int64_t{op.getLastIndex()});
}

float real(const llvm::APFloat &value) { return value.convertToFloat(); }

template <class Op>
void withAlpha(Op op, const Writing &to) {
  setAttribute(to.node(Op::onnxType, op.getInput()), "alpha", real(op.getAlpha()));
}

template <class Op>
void withAxis(Op op, const Writing &to) {
  setAttribute(to.node(Op::onnxType, op.getInput()), "axis", static_cast<int64_t>(op.getAxis()));
}

template <class Op>
void shaped(Op op, const Writing &to) {
  to.named(Op::onnxType, {to.name(op.getInput()), to.ints(shapeOf(op.getOutput()), "shape")});
}

void slice(SliceOp op, const Writing &to) {
  llvm::SmallVector<int64_t> ends(op.getEnds()), axes;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (op.getSteps()[i] < 0 && ends[i] == -1) // -1 means: until before element 0
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

// --- Quantised ---

template <class Op>
onnx::NodeProto &quantisation(Op op, const Writing &to) {
  onnx::NodeProto &node = to.node(Op::onnxType, op.getInput(), op.getScale(), op.getZeroPoint());
  setAttribute(node, "axis", static_cast<int64_t>(op.getAxis()));
  setAttribute(node, "block_size", static_cast<int64_t>(op.getBlockSize()));
  return node;
}

// Writes a QuantizeLinear. Its result has the type of its zero point; without a zero point, an attribute
// states the type.
void quantize(QuantizeLinearOp op, const Writing &to) {
  onnx::NodeProto &node = quantisation(op, to);
  if (!op.getZeroPoint())
    setAttribute(node, "output_dtype",
                 int64_t{onnxNumber(*dtypeOfElement(tensorType(op.getOutput()).getElementType()))});
}

template <class Op>
void grouped(Op op, onnx::NodeProto &node) {
  windows(op, node, shapeOf(op.getWeights()).drop_front(2));
  setAttribute(node, "group", static_cast<int64_t>(op.getGroups()));
}

void qlinearConv(QLinearConvOp op, const Writing &to) {
  grouped(op, to.node("QLinearConv", op.getInput(), op.getInputScale(), op.getInputZeroPoint(),
                      op.getWeights(), op.getWeightScale(), op.getWeightZeroPoint(), op.getOutputScale(),
                      op.getOutputZeroPoint(), op.getBias()));
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

// Writes a Resize, with scales or sizes for all axes except those that are left out (those with size -1).
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

void opaque(OpaqueOp op, const Writing &to) {
  llvm::SmallVector<std::string> inputs;
  size_t next = 0;
  for (const bool isPresent : op.getPresent())
    inputs.push_back(isPresent ? to.name(op.getInputs()[next++]) : "");
  onnx::NodeProto &node = to.named(op.getNodeType(), inputs);
  node.set_domain(op.getDomain().str());
  setAttributes(node, op.getNodeAttributes());
}

// Whether an operation on images has its channels last instead of in ONNX's axis order.
bool hasChannelsLast(mlir::Operation *operation) {
  const std::optional<mlir::Attribute> attribute = operation->getInherentAttr("channelsLast");
  return attribute && *attribute;
}

bool writeAsItIs(mlir::Operation *operation, ModelWriter &writer) {
  const Writing to(operation, writer);
  bool isKnown = true;
  llvm::TypeSwitch<mlir::Operation *>(operation)
      .Case<AbsOp, AcosOp, AcoshOp, AsinOp, AsinhOp, AtanOp, AtanhOp, CeilOp, CosOp, CoshOp, ErfOp, ExpOp,
            FloorOp, HardSwishOp, LogOp, MishOp, NegOp, NotOp, ReciprocalOp, ReluOp, RoundOp, SigmoidOp,
            SignOp, SinOp, SinhOp, SoftplusOp, SoftsignOp, SqrtOp, TanOp, TanhOp>(
          [&](auto op) { plain(op, to); })
      .Case<AddOp, AndOp, DivOp, EqualOp, GreaterOp, GreaterOrEqualOp, LessOp, LessOrEqualOp, MaxOp, MinOp,
            MulOp, OrOp, PowOp, PReluOp, SubOp, WhereOp, XorOp, MatMulOp, GlobalAveragePoolOp,
            GlobalMaxPoolOp>([&](auto op) { plain(op, to); })
      .Case<CeluOp, EluOp, LeakyReluOp, ThresholdedReluOp>([&](auto op) { withAlpha(op, to); })
      .Case<SoftmaxOp, LogSoftmaxOp, HardmaxOp>([&](auto op) { withAxis(op, to); })
      .Case<ReduceL1Op, ReduceL2Op, ReduceLogSumOp, ReduceLogSumExpOp, ReduceMaxOp, ReduceMeanOp, ReduceMinOp,
            ReduceProdOp, ReduceSumOp, ReduceSumSquareOp>([&](auto op) { reduction(op, to); })
      .Case<ArgMaxOp, ArgMinOp>([&](auto op) { extreme(op, to); })
      .Case<ReshapeOp, ExpandOp>([&](auto op) { shaped(op, to); })
      .Case<MaxPoolOp>([&](auto op) { pool(op, to); })
      .Case([&](AveragePoolOp op) {
        setAttribute(pool(op, to), "count_include_pad", int64_t{op.getCountIncludePad()});
      })
      .Case([&](LpPoolOp op) { setAttribute(pool(op, to), "p", static_cast<int64_t>(op.getP())); })
      .Case([&](GlobalLpPoolOp op) {
        setAttribute(to.node("GlobalLpPool", op.getInput()), "p", static_cast<int64_t>(op.getP()));
      })
      .Case([&](ConvOp op) {
        onnx::NodeProto &node = windows(op, to.node("Conv", op.getInput(), op.getWeights(), op.getBias()),
                                        shapeOf(op.getWeights()).drop_front(2));
        setAttribute(node, "group", static_cast<int64_t>(op.getGroups()));
      })
      .Case([&](ConvTransposeOp op) {
        onnx::NodeProto &node =
            windows(op, to.node("ConvTranspose", op.getInput(), op.getWeights(), op.getBias()),
                    shapeOf(op.getWeights()).drop_front(2));
        setAttribute(node, "group", static_cast<int64_t>(op.getGroups()));
        setAttribute(node, "output_padding", op.getOutputPadding());
      })
      .Case([&](GemmOp op) {
        onnx::NodeProto &node = to.node("Gemm", op.getA(), op.getB(), op.getC());
        setAttribute(node, "alpha", real(op.getAlpha()));
        setAttribute(node, "beta", real(op.getBeta()));
        setAttribute(node, "transA", int64_t{op.getTransA()});
        setAttribute(node, "transB", int64_t{op.getTransB()});
      })
      .Case([&](ModOp op) {
        setAttribute(to.node("Mod", op.getA(), op.getB()), "fmod", int64_t{op.getFmod()});
      })
      .Case([&](GeluOp op) {
        setAttribute(to.node("Gelu", op.getInput()), "approximate",
                     llvm::StringRef(op.getTanh() ? "tanh" : "none"));
      })
      .Case([&](HardSigmoidOp op) {
        onnx::NodeProto &node = to.node("HardSigmoid", op.getInput());
        setAttribute(node, "alpha", real(op.getAlpha()));
        setAttribute(node, "beta", real(op.getBeta()));
      })
      .Case([&](SeluOp op) {
        onnx::NodeProto &node = to.node("Selu", op.getInput());
        setAttribute(node, "alpha", real(op.getAlpha()));
        setAttribute(node, "gamma", real(op.getGamma()));
      })
      .Case([&](ShrinkOp op) {
        onnx::NodeProto &node = to.node("Shrink", op.getInput());
        setAttribute(node, "bias", real(op.getBias()));
        setAttribute(node, "lambd", real(op.getLambd()));
      })
      .Case([&](SiluOp op) {
        const std::string gate = writer.freshName(to.name(op.getOutput()) + ".sigmoid");
        writer.addNode("Sigmoid", gate, {to.name(op.getInput())}, gate);
        to.named("Mul", {to.name(op.getInput()), gate});
      })
      .Case([&](ClipOp op) { to.node("Clip", op.getInput(), op.getLow(), op.getHigh()); })
      .Case([&](CastOp op) {
        setAttribute(to.node("Cast", op.getInput()), "to",
                     int64_t{onnxNumber(*dtypeOfElement(tensorType(op.getOutput()).getElementType()))});
      })
      .Case([&](BatchNormOp op) {
        setAttribute(to.node("BatchNormalization", op.getInput(), op.getScale(), op.getBias(), op.getMean(),
                             op.getVariance()),
                     "epsilon", real(op.getEpsilon()));
      })
      .Case([&](InstanceNormOp op) {
        setAttribute(to.node("InstanceNormalization", op.getInput(), op.getScale(), op.getBias()), "epsilon",
                     real(op.getEpsilon()));
      })
      .Case([&](GroupNormOp op) {
        onnx::NodeProto &node = to.node("GroupNormalization", op.getInput(), op.getScale(), op.getBias());
        setAttribute(node, "epsilon", real(op.getEpsilon()));
        setAttribute(node, "num_groups", static_cast<int64_t>(op.getGroups()));
      })
      .Case([&](LayerNormOp op) {
        onnx::NodeProto &node = to.node("LayerNormalization", op.getInput(), op.getScale(), op.getBias());
        setAttribute(node, "epsilon", real(op.getEpsilon()));
        setAttribute(node, "axis", static_cast<int64_t>(op.getAxis()));
      })
      .Case([&](LpNormalizationOp op) {
        onnx::NodeProto &node = to.node("LpNormalization", op.getInput());
        setAttribute(node, "axis", static_cast<int64_t>(op.getAxis()));
        setAttribute(node, "p", static_cast<int64_t>(op.getP()));
      })
      .Case([&](LrnOp op) {
        onnx::NodeProto &node = to.node("LRN", op.getInput());
        setAttribute(node, "alpha", real(op.getAlpha()));
        setAttribute(node, "beta", real(op.getBeta()));
        setAttribute(node, "bias", real(op.getBias()));
        setAttribute(node, "size", static_cast<int64_t>(op.getSize()));
      })
      .Case([&](TransposeOp op) { setAttribute(to.node("Transpose", op.getInput()), "perm", op.getPerm()); })
      .Case([&](ConcatOp op) {
        llvm::SmallVector<std::string> inputs;
        for (mlir::Value input : op.getInputs())
          inputs.push_back(to.name(input));
        setAttribute(to.named("Concat", inputs), "axis", static_cast<int64_t>(op.getAxis()));
      })
      .Case([&](SliceOp op) { slice(op, to); })
      .Case([&](TileOp op) {
        to.named("Tile", {to.name(op.getInput()), to.ints(op.getRepeats(), "repeats")});
      })
      .Case([&](GatherOp op) {
        setAttribute(to.node("Gather", op.getInput(), op.getIndices()), "axis",
                     static_cast<int64_t>(op.getAxis()));
      })
      .Case([&](DepthToSpaceOp op) {
        onnx::NodeProto &node = to.node("DepthToSpace", op.getInput());
        setAttribute(node, "blocksize", static_cast<int64_t>(op.getBlockSize()));
        setAttribute(node, "mode", llvm::StringRef(op.getColumnsFirst() ? "CRD" : "DCR"));
      })
      .Case([&](SpaceToDepthOp op) {
        setAttribute(to.node("SpaceToDepth", op.getInput()), "blocksize",
                     static_cast<int64_t>(op.getBlockSize()));
      })
      .Case([&](PadOp op) {
        setAttribute(
            to.named("Pad", {to.name(op.getInput()), to.ints(op.getPads(), "pads"), to.name(op.getValue())}),
            "mode", stringifyPadMode(op.getMode()));
      })
      .Case([&](AttentionOp op) { attention(op, to, writer); })
      .Case<BitwiseNotOp, BitwiseAndOp, BitwiseOrOp, BitwiseXorOp, IsNaNOp, DynamicQuantizeLinearOp,
            QLinearMatMulOp>([&](auto op) { plain(op, to); })
      .Case([&](IsInfOp op) {
        onnx::NodeProto &node = to.node("IsInf", op.getInput());
        setAttribute(node, "detect_negative", int64_t{op.getNegative()});
        setAttribute(node, "detect_positive", int64_t{op.getPositive()});
      })
      .Case([&](BitShiftOp op) {
        setAttribute(to.node("BitShift", op.getA(), op.getB()), "direction",
                     llvm::StringRef(op.getLeft() ? "LEFT" : "RIGHT"));
      })
      .Case([&](EinsumOp op) {
        llvm::SmallVector<std::string> inputs;
        for (mlir::Value input : op.getInputs())
          inputs.push_back(to.name(input));
        setAttribute(to.named("Einsum", inputs), "equation", op.getEquation());
      })
      .Case([&](QuantizeLinearOp op) { quantize(op, to); })
      .Case([&](DequantizeLinearOp op) { quantisation(op, to); })
      .Case([&](QLinearConvOp op) { qlinearConv(op, to); })
      .Case([&](ConvIntegerOp op) {
        grouped(op, to.node("ConvInteger", op.getInput(), op.getWeights(), op.getInputZeroPoint(),
                            op.getWeightZeroPoint()));
      })
      .Case([&](MatMulIntegerOp op) {
        to.node("MatMulInteger", op.getA(), op.getB(), op.getAZeroPoint(), op.getBZeroPoint());
      })
      .Case([&](GatherElementsOp op) {
        setAttribute(to.node("GatherElements", op.getInput(), op.getIndices()), "axis",
                     static_cast<int64_t>(op.getAxis()));
      })
      .Case([&](GatherNDOp op) {
        setAttribute(to.node("GatherND", op.getInput(), op.getIndices()), "batch_dims",
                     static_cast<int64_t>(op.getBatchDims()));
      })
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
      .Case([&](ReverseSequenceOp op) {
        onnx::NodeProto &node = to.node("ReverseSequence", op.getInput(), op.getLengths());
        setAttribute(node, "time_axis", static_cast<int64_t>(op.getTimeAxis()));
        setAttribute(node, "batch_axis", static_cast<int64_t>(op.getBatchAxis()));
      })
      .Case([&](ResizeOp op) { resize(op, to); })
      .Case([&](LstmOp op) { lstm(op, to); })
      .Case([&](GruOp op) { gru(op, to); })
      .Case([&](RnnOp op) {
        recurrent(op, to.node("RNN", op.getInput(), op.getWeights(), op.getRecurrence(), op.getBias(),
                              op.getLengths(), op.getInitialState()));
      })
      .Case([&](OpaqueOp op) { opaque(op, to); })
      .Default([&](mlir::Operation *) { isKnown = false; });
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
  // ONNX has channels first, so the operator is put between two transposes.
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
