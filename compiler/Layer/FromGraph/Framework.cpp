// Lowering of operations to the framework, which runs operators that neither the accelerator nor the host can
// run: the operation becomes an ONNX model of its own.
#include "compiler/Export/Export.h"
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/FromGraph/Lowerings.h"
#include "compiler/Layer/IR/Types.h"
#include "isa/Program/HostSignature.h"

#include <google/protobuf/text_format.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/IRMapping.h>

namespace tilerig::compiler {

namespace {

constexpr size_t mostEmbeddedBytes = 1024;

// Names of the ONNX operators that the framework can run, sorted. It has no operators for strings, sequences,
// optional values and training. Random operators are not listed, because their results cannot be compared.
// clang-format off
constexpr llvm::StringLiteral frameworkOperators[] = {
    "Abs", "Acos", "Acosh", "Add", "AffineGrid", "And", "ArgMax", "ArgMin", "Asin", "Asinh", "Atan",
    "Atanh", "AveragePool", "BatchNormalization", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr",
    "BitwiseXor", "BlackmanWindow", "Cast", "CastLike", "Ceil", "Celu", "CenterCropPad", "Clip", "Col2Im",
    "Compress", "Concat", "ConstantOfShape", "Conv", "ConvInteger", "ConvTranspose", "Cos", "Cosh",
    "CumSum", "DFT", "DeformConv", "DepthToSpace", "DequantizeLinear", "Det", "Div", "Dropout",
    "DynamicQuantizeLinear", "Einsum", "Elu", "Equal", "Erf", "Exp", "Expand", "EyeLike", "Flatten",
    "Floor", "GRU", "Gather", "GatherElements", "GatherND", "Gelu", "Gemm", "GlobalAveragePool",
    "GlobalLpPool", "GlobalMaxPool", "Greater", "GreaterOrEqual", "GridSample", "GroupNormalization",
    "HammingWindow", "HannWindow", "HardSigmoid", "HardSwish", "Hardmax", "Identity", "If",
    "InstanceNormalization", "IsInf", "IsNaN", "LRN", "LSTM", "LayerNormalization", "LeakyRelu", "Less",
    "LessOrEqual", "Log", "LogSoftmax", "Loop", "LpNormalization", "LpPool", "MatMul", "MatMulInteger", "Max",
    "MaxPool", "MaxRoiPool", "MaxUnpool", "Mean", "MeanVarianceNormalization", "MelWeightMatrix", "Min",
    "Mish", "Mod", "Mul", "Neg", "NegativeLogLikelihoodLoss", "NonMaxSuppression", "NonZero", "Not",
    "OneHot", "Or", "PRelu", "Pad", "Pow", "QLinearConv", "QLinearMatMul", "QuantizeLinear", "RNN",
    "Range", "Reciprocal", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax",
    "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare", "Relu", "Reshape", "Resize",
    "ReverseSequence", "RoiAlign", "Round", "STFT", "Scan", "Scatter", "ScatterElements", "ScatterND", "Selu",
    "Shape", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Size", "Slice", "Softmax",
    "SoftmaxCrossEntropyLoss", "Softplus", "Softsign", "SpaceToDepth", "Split", "Sqrt", "Squeeze", "Sub",
    "Sum", "Swish", "Tan", "Tanh", "TfIdfVectorizer", "ThresholdedRelu", "Tile", "TopK", "Transpose",
    "Trilu", "Unique", "Unsqueeze", "Upsample", "Where", "Xor"};
// clang-format on

// Whether the framework can run the operator of this operation. It can run all operators, except some that
// the compiler knows only by name (opaque operations).
bool isKnown(mlir::Operation *operation) {
  auto opaque = llvm::dyn_cast<graph::OpaqueOp>(operation);
  return !opaque || (opaque.getDomain().empty() && isFrameworkOperator(opaque.getNodeType()));
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

// A function that contains only this operation, with its operands x0, x1, … as arguments and its results y0,
// y1, …
mlir::OwningOpRef<mlir::ModuleOp> moduleOf(mlir::Operation *operation, llvm::ArrayRef<mlir::Value> operands) {
  const mlir::Location place = mlir::UnknownLoc::get(operation->getContext());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(place);
  mlir::OpBuilder builder(module->getBodyRegion());
  auto function = mlir::func::FuncOp::create(
      builder, place, "main",
      builder.getFunctionType(mlir::ValueRange(operands).getTypes(), operation->getResultTypes()));
  builder.setInsertionPointToStart(function.addEntryBlock());
  mlir::IRMapping values;
  for (const auto [i, operand] : llvm::enumerate(operands)) {
    const auto number = static_cast<unsigned>(i);
    values.map(operand, function.getArgument(number));
    function.setArgAttr(number, nameAttribute, text(builder, "x", number));
  }
  for (const mlir::Value operand : operation->getOperands())
    if (auto constant = operand.getDefiningOp<layer::ConstantOp>(); constant && !values.contains(operand))
      values.map(operand, graph::ConstantOp::create(builder, place, operand.getType(), constant.getValue()));
  mlir::Operation *const copy = builder.clone(*operation, values);
  mlir::func::ReturnOp::create(builder, place, copy->getResults());
  for (unsigned i = 0; i < copy->getNumResults(); ++i)
    function.setResultAttr(i, nameAttribute, text(builder, "y", i));
  return module;
}

uint64_t elementCountOf(mlir::Value value) {
  return static_cast<uint64_t>(llvm::cast<mlir::RankedTensorType>(value.getType()).getNumElements());
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

bool isFrameworkOperator(llvm::StringRef name) { return llvm::is_contained(frameworkOperators, name); }

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
  TILERIG_TRY(const ExportedModel model, exported(*moduleOf(operation, operands)));
  std::string modelText;
  if (!google::protobuf::TextFormat::PrintToString(model.proto, &modelText))
    return internalError(graph::nodeName(operation->getLoc()), "its ONNX model cannot be printed");
  mlir::Builder &of = to.ops();
  const std::array parameters = {
      of.getNamedAttr("model", of.getStringAttr(modelText)),
      of.getNamedAttr(frameworkOperations,
                      of.getI64IntegerAttr(static_cast<int64_t>(operationsOf(operation)))),
      of.getNamedAttr("operator", of.getStringAttr(model.proto.graph().node().rbegin()->op_type()))};
  const llvm::SmallVector<bool> present(operands.size(), true);
  auto host = layer::HostOp::create(to.ops(), to.place(), operation->getResultTypes(), operands,
                                    frameworkKernel, of.getDictionaryAttr(parameters), present);
  return llvm::to_vector_of<mlir::Value>(host.getResults());
}

} // namespace tilerig::compiler
