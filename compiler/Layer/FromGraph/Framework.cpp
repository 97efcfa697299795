// Lowering of operations to the framework, which runs operators that neither the accelerator nor the host can
// run: the operation becomes an ONNX model of its own.
#include "compiler/Export/Export.h"
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/FromGraph/Lowerings.h"
#include "compiler/Layer/FromGraph/Quantised.h"
#include "compiler/Layer/IR/Types.h"
#include "isa/Program/HostSignature.h"

#include <google/protobuf/text_format.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/IRMapping.h>

namespace tilerig::compiler {

namespace {

constexpr size_t mostEmbeddedBytes = 1024;

// Names of the ONNX operators that the framework can run, sorted. It has no operators for strings, optional
// values and training. Random operators are not listed, because their results cannot be compared.
// clang-format off
constexpr llvm::StringLiteral frameworkOperators[] = {
    "Abs", "Acos", "Acosh", "Add", "AffineGrid", "And", "ArgMax", "ArgMin", "Asin", "Asinh", "Atan",
    "Atanh", "Attention", "AveragePool", "BatchNormalization", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr",
    "BitwiseXor", "BlackmanWindow", "Cast", "CastLike", "Ceil", "Celu", "CenterCropPad", "Clip", "Col2Im",
    "Compress", "Concat", "ConcatFromSequence", "Constant", "ConstantOfShape", "Conv", "ConvInteger", "ConvTranspose", "Cos", "Cosh",
    "CumSum", "DFT", "DeformConv", "DepthToSpace", "DequantizeLinear", "Det", "Div", "Dropout",
    "DynamicQuantizeLinear", "Einsum", "Elu", "Equal", "Erf", "Exp", "Expand", "EyeLike", "Flatten",
    "Floor", "GRU", "Gather", "GatherElements", "GatherND", "Gelu", "Gemm", "GlobalAveragePool",
    "GlobalLpPool", "GlobalMaxPool", "Greater", "GreaterOrEqual", "GridSample", "GroupNormalization",
    "HammingWindow", "HannWindow", "HardSigmoid", "HardSwish", "Hardmax", "Identity", "If",
    "InstanceNormalization", "IsInf", "IsNaN", "LRN", "LSTM", "LayerNormalization", "LeakyRelu", "Less",
    "LessOrEqual", "Log", "LogSoftmax", "Loop", "LpNormalization", "LpPool", "MatMul", "MatMulInteger", "Max",
    "MaxPool", "MaxRoiPool", "MaxUnpool", "Mean", "MeanVarianceNormalization", "MelWeightMatrix", "Min",
    "Mish", "Mod", "Mul", "Neg", "NegativeLogLikelihoodLoss", "NonMaxSuppression", "NonZero", "Not",
    "OneHot", "Or", "PRelu", "Pad", "Pow", "QLinearConv", "QLinearMatMul", "QuantizeLinear", "RMSNormalization", "RNN",
    "Range", "Reciprocal", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax",
    "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare", "Relu", "Reshape", "Resize",
    "ReverseSequence", "RoiAlign", "RotaryEmbedding", "Round", "STFT", "Scan", "Scatter", "ScatterElements", "ScatterND", "Selu",
    "SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength", "Shape", "Shrink", "Sigmoid", "Sign", "SimplifiedLayerNormalization", "Sin", "Sinh", "Size", "Slice", "Softmax",
    "SoftmaxCrossEntropyLoss", "Softplus", "Softsign", "SpaceToDepth", "Split", "SplitToSequence", "Sqrt", "Squeeze", "Sub",
    "Sum", "Swish", "Tan", "Tanh", "TensorScatter", "TfIdfVectorizer", "ThresholdedRelu", "Tile", "TopK", "Transpose",
    "Trilu", "Unique", "Unsqueeze", "Upsample", "Where", "Xor"};
// clang-format on

// Names of the operators of the domain com.microsoft that the framework can run, sorted.
constexpr llvm::StringLiteral runtimeOperators[] = {
    "Attention",
    "BiasGelu",
    "DynamicQuantizeMatMul",
    "EmbedLayerNormalization",
    "FastGelu",
    "FusedConv",
    "FusedMatMul",
    "Gelu",
    "GroupQueryAttention",
    "MatMulIntegerToFloat",
    "MatMulNBits",
    "MultiHeadAttention",
    "QGemm",
    "QLinearAdd",
    "QLinearAveragePool",
    "QLinearConcat",
    "QLinearGlobalAveragePool",
    "QLinearLeakyRelu",
    "QLinearMul",
    "QLinearSigmoid",
    "QuickGelu",
    "RotaryEmbedding",
    "SimplifiedLayerNormalization",
    "SkipLayerNormalization",
    "SkipSimplifiedLayerNormalization",
};

// Whether the framework can run all operators of a graph and its subgraphs.
bool isKnown(const onnx::GraphProto &graph) {
  return llvm::all_of(graph.node(), [](const onnx::NodeProto &node) {
    const llvm::StringRef domain = node.domain() == "ai.onnx" ? "" : llvm::StringRef(node.domain());
    return isFrameworkOperator(domain, node.op_type()) &&
           llvm::all_of(node.attribute(), [](const onnx::AttributeProto &attribute) {
             return !attribute.has_g() || isKnown(attribute.g());
           });
  });
}

// Whether the framework can run the operator of this operation. It can run all operators, except some that
// the compiler knows only by name (opaque operations).
bool isKnown(mlir::Operation *operation) {
  auto opaque = llvm::dyn_cast<graph::OpaqueOp>(operation);
  if (!opaque || opaque.getDomain() != graph::partDomain)
    return !opaque || opaque->hasAttr(tooLargeAttribute) ||
           isFrameworkOperator(opaque.getDomain(), opaque.getNodeType());
  onnx::GraphProto graph;
  const graph::BodyAttr body = graph::bodiesOf(opaque.getNodeAttributes()).front().second;
  return google::protobuf::TextFormat::ParseFromString(body.getGraph().str(), &graph) && isKnown(graph);
}

// Whether a constant becomes part of the ONNX model for the framework: it is small, or of a type that instructions
// cannot use.
bool isEmbedded(mlir::Value value) {
  auto constant = value.getDefiningOp<layer::ConstantOp>();
  return constant && (tensorOf(constant.getValue()).bytes().size() <= mostEmbeddedBytes ||
                      !layer::isForInstructions(layer::elementOf(value)));
}

mlir::StringAttr text(mlir::Builder &builder, std::string_view letter, unsigned number) {
  return builder.getStringAttr(llvm::Twine(letter) + llvm::Twine(number));
}

// The inputs with scale and zero point of the result of an operator on quantised integers; none for other
// operators.
std::optional<std::pair<size_t, size_t>> gridInputsOf(graph::OpaqueOp op) {
  if (op.getDomain() != "com.microsoft" || op.getNumResults() != 1)
    return {};
  return llvm::StringSwitch<std::optional<std::pair<size_t, size_t>>>(op.getNodeType())
      .Cases({"QLinearAdd", "QLinearMul"}, std::pair(6, 7))
      .Cases({"QLinearAveragePool", "QLinearGlobalAveragePool", "QLinearSigmoid"}, std::pair(3, 4))
      .Case("QGemm", std::pair(7, 8))
      .Case("QLinearConcat", std::pair(0, 1))
      .Default(std::nullopt);
}

// The operand that is input `index` of the node; null if the node does not have it.
mlir::Value inputOf(graph::OpaqueOp op, size_t index) {
  const llvm::ArrayRef<bool> present = op.getPresent();
  return index < present.size() && present[index]
             ? op.getInputs()[static_cast<size_t>(llvm::count(present.take_front(index), true))]
             : mlir::Value();
}

// The types of the layer's results: those of the operation, but of a quantised type where scale and zero point of
// integers are known, so that layers on the accelerator can read them.
llvm::SmallVector<mlir::Type> resultTypesOf(mlir::Operation *operation) {
  llvm::SmallVector<mlir::Type> types(operation->getResultTypes());
  auto opaque = llvm::dyn_cast<graph::OpaqueOp>(operation);
  const auto inputs = opaque ? gridInputsOf(opaque) : std::nullopt;
  if (!inputs || !inputOf(opaque, inputs->first))
    return types;
  const auto tensor = llvm::cast<mlir::RankedTensorType>(types[0]);
  if (const auto type = quantisedType(tensor.getElementType(), inputOf(opaque, inputs->first),
                                      inputOf(opaque, inputs->second), /*axis=*/0);
      type && llvm::isa<mlir::quant::UniformQuantizedType>(*type))
    types[0] = mlir::RankedTensorType::get(tensor.getShape(), *type);
  return types;
}

// The type in which the framework returns a tensor, and gets those that layers compute: quantised integers as the
// numbers for which they stand.
mlir::Type realType(mlir::Type type) {
  const auto tensor = llvm::cast<mlir::RankedTensorType>(type);
  return layer::quantisedOf(tensor.getElementType())
             ? mlir::RankedTensorType::get(tensor.getShape(), mlir::Float32Type::get(type.getContext()))
             : type;
}

// The type in which the framework gets an operand. Inputs of the model are integers for the host.
mlir::Type outsideType(mlir::Value operand) {
  const auto quantised = layer::quantisedOf(layer::elementOf(operand));
  if (!quantised || !llvm::isa<mlir::BlockArgument>(operand))
    return realType(operand.getType());
  return mlir::RankedTensorType::get(
      graph::shapeOf(operand),
      mlir::IntegerType::get(operand.getContext(), quantised.getStorageTypeIntegralWidth(),
                             quantised.isSigned() ? mlir::IntegerType::Signless
                                                  : mlir::IntegerType::Unsigned));
}

// Scale and zero point of a quantised type with one of each, as constants.
std::pair<mlir::Value, mlir::Value> gridOf(mlir::quant::UniformQuantizedType type, mlir::OpBuilder &builder) {
  const auto zero = type.getZeroPoint();
  const Tensor zeroPoint = type.isSigned() ? Tensor::scalar(static_cast<int8_t>(zero))
                                           : Tensor::scalar(static_cast<uint8_t>(zero));
  const auto constant = [&](const Tensor &tensor, llvm::StringRef name) {
    return graph::ConstantOp::create(builder, builder.getUnknownLoc(),
                                     attributeOf(*builder.getContext(), tensor, name));
  };
  return {constant(Tensor::scalar(static_cast<float>(type.getScale())), "scale"),
          constant(zeroPoint, "zero")};
}

// The integers of an argument that stands for a tensor of a quantised type. Quantising the numbers again gives the
// same integers, because the rounding errors of both steps are far below half a step.
mlir::Value integersOf(mlir::Value reals, mlir::Type type, mlir::OpBuilder &builder) {
  const auto quantised = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(
      llvm::cast<mlir::RankedTensorType>(type).getElementType());
  if (!quantised || !graph::tensorType(reals).getElementType().isF32())
    return reals;
  const auto [scale, zero] = gridOf(quantised, builder);
  return graph::QuantizeLinearOp::create(
      builder, builder.getUnknownLoc(),
      mlir::RankedTensorType::get(graph::shapeOf(reals), graph::tensorType(zero).getElementType()), reals,
      scale, zero, uint64_t{0}, uint64_t{0});
}

// The numbers for which a result stands whose layer has the given type.
mlir::Value realsOf(mlir::Value integers, mlir::Type type, mlir::OpBuilder &builder) {
  const auto quantised = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(
      llvm::cast<mlir::RankedTensorType>(type).getElementType());
  if (!quantised)
    return integers;
  const auto [scale, zero] = gridOf(quantised, builder);
  return graph::DequantizeLinearOp::create(builder, builder.getUnknownLoc(), realType(type), integers, scale,
                                           zero, uint64_t{0}, uint64_t{0});
}

// A function that contains only this operation, with its operands x0, x1, … as arguments and its results y0,
// y1, … Where operands or results of the layer are of quantised types, the function converts them.
mlir::OwningOpRef<mlir::ModuleOp> moduleOf(mlir::Operation *operation, llvm::ArrayRef<mlir::Value> operands,
                                           llvm::ArrayRef<mlir::Type> resultTypes) {
  const mlir::Location place = mlir::UnknownLoc::get(operation->getContext());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(place);
  mlir::OpBuilder builder(module->getBodyRegion());
  auto function =
      mlir::func::FuncOp::create(builder, place, "main",
                                 builder.getFunctionType(llvm::map_to_vector(operands, outsideType),
                                                         llvm::map_to_vector(resultTypes, realType)));
  builder.setInsertionPointToStart(function.addEntryBlock());
  mlir::IRMapping values;
  for (const auto [i, operand] : llvm::enumerate(operands)) {
    const auto number = static_cast<unsigned>(i);
    values.map(operand, integersOf(function.getArgument(number), operand.getType(), builder));
    function.setArgAttr(number, nameAttribute, text(builder, "x", number));
  }
  for (const mlir::Value operand : operation->getOperands())
    if (auto constant = operand.getDefiningOp<layer::ConstantOp>(); constant && !values.contains(operand))
      values.map(operand, graph::ConstantOp::create(builder, place, operand.getType(), constant.getValue()));
  mlir::Operation *const copy = builder.clone(*operation, values);
  llvm::SmallVector<mlir::Value> results;
  for (const auto [result, type] : llvm::zip_equal(copy->getResults(), resultTypes))
    results.push_back(realsOf(result, type, builder));
  mlir::func::ReturnOp::create(builder, place, results);
  for (unsigned i = 0; i < copy->getNumResults(); ++i)
    function.setResultAttr(i, nameAttribute, text(builder, "y", i));
  return module;
}

uint64_t elementCountOf(mlir::Value value) {
  return static_cast<uint64_t>(llvm::cast<mlir::RankedTensorType>(value.getType()).getNumElements());
}

// The name of the operation's operator in reports.
llvm::StringRef nodeTypeOf(mlir::Operation *operation, const ExportedModel &model) {
  if (auto opaque = llvm::dyn_cast<graph::OpaqueOp>(operation))
    return opaque.getNodeType();
  // The last node may be a transpose behind the operator, which restores the model's order of axes.
  if (auto known = llvm::dyn_cast<graph::OnnxOperator>(operation))
    return known.getOnnxType();
  return model.proto.graph().node().rbegin()->op_type();
}

// Estimated cost of the operation in an interpreter, in steps: one for each element that it reads or writes,
// or, for sums of products, one for each multiplication.
uint64_t operationsOf(mlir::Operation *operation) {
  uint64_t operations = 0;
  for (const mlir::Value value : llvm::concat<mlir::Value>(operation->getOperands(), operation->getResults()))
    operations += elementCountOf(value);
  if (llvm::isa<graph::ConvOp, graph::ConvTransposeOp, graph::ConvIntegerOp, graph::QLinearConvOp>(
          operation)) {
    const mlir::Value weights = operation->getOperand(llvm::isa<graph::QLinearConvOp>(operation) ? 3 : 1);
    operations +=
        elementCountOf(operation->getResult(0)) *
        (elementCountOf(weights) / static_cast<uint64_t>(std::max<int64_t>(graph::shapeOf(weights)[0], 1)));
  }
  return operations;
}

} // namespace

bool isFrameworkOperator(llvm::StringRef domain, llvm::StringRef name) {
  if (domain.empty())
    return llvm::is_contained(frameworkOperators, name);
  return domain == "com.microsoft" && llvm::is_contained(runtimeOperators, name);
}

Lowered lowerInFramework(mlir::Operation *operation, LayerBuilder &to) {
  if (!isKnown(operation))
    return noLayer("it does not know the operator");
  for (const mlir::Value value : llvm::concat<mlir::Value>(operation->getOperands(), operation->getResults()))
    if (!graph::tensorType(value).hasStaticShape())
      return noLayer("the length of one of its tensors depends on the data");
  llvm::SmallVector<mlir::Value> operands;
  for (const mlir::Value operand : operation->getOperands())
    if (!isEmbedded(operand) && !llvm::is_contained(operands, operand))
      operands.push_back(operand);
  const llvm::SmallVector<mlir::Type> resultTypes = resultTypesOf(operation);
  TILERIG_TRY(const ExportedModel model, exported(*moduleOf(operation, operands, resultTypes)));
  std::string modelText;
  if (!google::protobuf::TextFormat::PrintToString(model.proto, &modelText))
    return internalError(graph::nodeName(operation->getLoc()), "its ONNX model cannot be printed");
  mlir::Builder &of = to.ops();
  const std::array parameters = {
      of.getNamedAttr("model", of.getStringAttr(modelText)),
      of.getNamedAttr(frameworkOperations,
                      of.getI64IntegerAttr(static_cast<int64_t>(operationsOf(operation)))),
      of.getNamedAttr("operator", of.getStringAttr(nodeTypeOf(operation, model)))};
  const llvm::SmallVector<bool> present(operands.size(), true);
  auto host = layer::HostOp::create(to.ops(), to.place(), resultTypes, operands, frameworkKernel,
                                    of.getDictionaryAttr(parameters), present);
  return llvm::to_vector_of<mlir::Value>(host.getResults());
}

} // namespace tilerig::compiler
