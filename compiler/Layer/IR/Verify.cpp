// Verifiers of the layer operations: operand and result shapes. Element types are checked with Types.h.
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/IR/Layer.h"
#include "compiler/Layer/IR/Types.h"
#include "isa/Program/HostSignature.h"

namespace tilerig::compiler::layer {

namespace {

using graph::Dims;
using graph::shapeOf;
using graph::text;
using Sizes = llvm::ArrayRef<int64_t>;

constexpr size_t imageRank = 4;
// Upper limit of kernel sizes, strides, dilations and pads, so that a product of two fits in 64 bits.
constexpr int64_t mostReach = int64_t{1} << 31;

llvm::LogicalResult gives(mlir::Operation *operation, Sizes expected) {
  const Sizes actual = shapeOf(operation->getResult(0));
  if (actual == expected)
    return llvm::success();
  return operation->emitOpError() << "the result has shape " << text(actual) << ", expected "
                                  << text(expected);
}

llvm::LogicalResult broadcastsTo(mlir::Operation *operation, mlir::Value value, Sizes shape,
                                 const char *operand) {
  if (!value || graph::broadcast(shapeOf(value), shape) == Dims(shape))
    return llvm::success();
  return operation->emitOpError() << "the " << operand << " of shape " << text(shapeOf(value))
                                  << " cannot be broadcast to " << text(shape);
}

// The windows of a pooling or convolution layer over rows and columns.
struct ImageWindows {
  Sizes kernel, strides, dilations, pads;

  llvm::LogicalResult verify(mlir::Operation *operation, Sizes image) const {
    if (image.size() != imageRank)
      return operation->emitOpError()
             << "the image must have batch, rows, columns and channels, not shape " << text(image);
    if (kernel.size() != 2 || strides.size() != 2 || dilations.size() != 2 || pads.size() != 4)
      return operation->emitOpError("kernel, strides and dilations must have two numbers each, pads four");
    for (size_t i = 0; i < 2; ++i)
      if (kernel[i] < 1 || strides[i] < 1 || dilations[i] < 1 || pads[i] < 0 || pads[i + 2] < 0)
        return operation->emitOpError("kernel, strides and dilations must be positive, pads not negative");
    for (const Sizes all : {kernel, strides, dilations, pads})
      if (llvm::any_of(all, [](int64_t x) { return x > mostReach; }))
        return operation->emitOpError("kernel, strides, dilations and pads must be at most 2^31");
    return llvm::success();
  }
  // Number of positions of a window along an axis; negative if the axis is too short for a single window.
  int64_t outputs(size_t axis, Sizes image) const {
    const int64_t slack =
        image[axis + 1] + pads[axis] + pads[axis + 2] - (kernel[axis] - 1) * dilations[axis] - 1;
    return slack < 0 ? slack : slack / strides[axis] + 1;
  }
};

template <class Product>
llvm::LogicalResult verifyEpilogue(Product product, int64_t outputs) {
  const mlir::Value bias = product.getBias();
  if (bias && shapeOf(bias) != Sizes{outputs})
    return product.emitOpError() << "the bias has shape " << text(shapeOf(bias))
                                 << ", expected one element for each of " << outputs << " outputs";
  if (product.getAddend() && shapeOf(product.getAddend()) != shapeOf(product.getOutput()))
    return product.emitOpError() << "the addend has shape " << text(shapeOf(product.getAddend()))
                                 << ", but the result has shape " << text(shapeOf(product.getOutput()));
  if (product.getFunctionFirst() && (!product.getAddend() || !product.getFunction()))
    return product.emitOpError("'functionFirst' states that the function is applied before the addend is "
                               "added, but the function or the addend is missing");
  return verifyProductTypes(product, bias, product.getAddend(), product.getMiddle());
}

bool isPermutation(Sizes perm, size_t rank) {
  Dims sorted(perm);
  llvm::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<int64_t>(i))
      return false;
  return perm.size() == rank;
}

// Checks that `axes` is a non-empty list of distinct axes of a tensor of this rank.
llvm::LogicalResult areAxes(mlir::Operation *operation, Sizes axes, size_t rank) {
  if (axes.empty())
    return operation->emitOpError("the reduction or normalisation must have at least one axis");
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= static_cast<int64_t>(rank))
      return operation->emitOpError() << "axis " << axes[i] << " does not exist in its input";
    if (llvm::is_contained(axes.take_front(i), axes[i]))
      return operation->emitOpError() << "axis " << axes[i] << " is given twice";
  }
  return llvm::success();
}

llvm::LogicalResult isAxis(mlir::Operation *operation, uint64_t axis, size_t rank) {
  return areAxes(operation, static_cast<int64_t>(axis), rank);
}

// Checks that two operands of an elementwise layer have the same type, or both represent real numbers (as
// floats or quantised).
llvm::LogicalResult goTogether(mlir::Operation *operation, mlir::Value a, mlir::Value b) {
  const auto isReal = [](mlir::Type element) {
    return llvm::isa<mlir::FloatType>(element) || quantisedOf(element);
  };
  if (elementOf(a) == elementOf(b) || (isReal(elementOf(a)) && isReal(elementOf(b))))
    return llvm::success();
  return operation->emitOpError() << "operands have incompatible element types, " << elementOf(a) << " and "
                                  << elementOf(b);
}

// Whether the elements are booleans: of type i1 before the precision of layers is decided, of type u8
// afterwards.
bool isTruth(mlir::Type element) { return element.isInteger(1) || element.isUnsignedInteger(8); }
// Whether the elements are indices: of type i32 or, before the precision of layers is decided, i64.
bool isIndex(mlir::Type element) { return element.isSignlessInteger(32) || element.isSignlessInteger(64); }

} // namespace

llvm::LogicalResult ConvOp::verify() {
  const Sizes image = shapeOf(getInput()), weights = shapeOf(getWeights());
  if (weights.size() != imageRank)
    return emitOpError() << "the weights must have outputs, rows, columns and channels, not shape "
                         << text(weights);
  const ImageWindows windows{weights.slice(1, 2), getStrides(), getDilations(), getPads()};
  if (llvm::failed(windows.verify(*this, image)))
    return llvm::failure();
  const auto groups = static_cast<int64_t>(getGroups());
  if (groups < 1 || weights[0] % groups != 0 || image[3] != weights[3] * groups)
    return emitOpError() << "weights of shape " << text(weights) << " in " << groups
                         << " groups do not fit an image of shape " << text(image);
  if (llvm::failed(
          gives(*this, {image[0], windows.outputs(0, image), windows.outputs(1, image), weights[0]})))
    return llvm::failure();
  return verifyEpilogue(*this, weights[0]);
}

llvm::LogicalResult MatMulOp::verify() {
  const Sizes a = shapeOf(getA()), b = shapeOf(getB());
  if (a.size() < 2 || b.size() < 2)
    return emitOpError() << "matrices must have at least two axes, not shapes " << text(a) << " and "
                         << text(b);
  const int64_t depth = getTransposedB() ? b.drop_back().back() : b.back(),
                outputs = getTransposedB() ? b.back() : b.drop_back().back();
  const auto batch = graph::broadcast(a.drop_back(2), b.drop_back(2));
  if (a.back() != depth || !batch)
    return emitOpError() << "matrices of shapes " << text(a) << " and " << text(b) << " cannot be multiplied";
  Dims expected = *batch;
  expected.append({a.drop_back().back(), outputs});
  if (getBias() && b.size() != 2)
    return emitOpError("a bias needs a single matrix b, not a batch of matrices");
  if (llvm::failed(gives(*this, expected)))
    return llvm::failure();
  return verifyEpilogue(*this, outputs);
}

llvm::LogicalResult ActivateOp::verify() { return gives(*this, shapeOf(getInput())); }

llvm::LogicalResult BinaryOp::verify() {
  const auto expected = graph::broadcast(shapeOf(getA()), shapeOf(getB()));
  if (!expected)
    return emitOpError() << "operands of shapes " << text(shapeOf(getA())) << " and " << text(shapeOf(getB()))
                         << " cannot be broadcast";
  // In ONNX the operands of pow may differ in type: a float base and an integer exponent.
  if (getKind().getValue() != BinaryFunction::pow && llvm::failed(goTogether(*this, getA(), getB())))
    return llvm::failure();
  const bool compares = getKind().getValue() >= BinaryFunction::equal;
  if (compares && getFunction())
    return emitOpError(
        "the operation is a comparison, to whose result no activation function can be applied");
  if (compares && !isTruth(elementOf(getOutput())))
    return emitOpError() << "the operation is a comparison, so its element type must be i1 or ui8, not "
                         << elementOf(getOutput());
  return gives(*this, *expected);
}

llvm::LogicalResult SelectOp::verify() {
  const auto values = graph::broadcast(shapeOf(getA()), shapeOf(getB()));
  const auto expected = values ? graph::broadcast(shapeOf(getCondition()), *values) : values;
  if (!expected)
    return emitOpError("the shapes of the operands cannot be broadcast");
  if (!isTruth(elementOf(getCondition())))
    return emitOpError() << "the condition must be boolean (i1 or ui8), not " << elementOf(getCondition());
  if (llvm::failed(goTogether(*this, getA(), getB())))
    return llvm::failure();
  return gives(*this, *expected);
}

llvm::LogicalResult PoolOp::verify() {
  const ImageWindows windows{getKernel(), getStrides(), getDilations(), getPads()};
  const Sizes image = shapeOf(getInput()), result = shapeOf(getOutput());
  if (llvm::failed(windows.verify(*this, image)))
    return llvm::failure();
  if (result.size() != imageRank || result[0] != image[0] || result[3] != image[3])
    return emitOpError() << "an image of shape " << text(image) << " cannot give a result of shape "
                         << text(result);
  for (size_t i = 0; i < 2; ++i) {
    graph::Windows along{getKernel(), getStrides(), getDilations(), getPads()};
    if (along.padBefore(i) >= along.reach(i) || along.padAfter(i) >= along.reach(i))
      return emitOpError("some of its windows lie completely in the padding");
    const int64_t down = along.outputs(i, image[i + 1]);
    along.ceilMode = true;
    const int64_t up = along.outputs(i, image[i + 1]);
    if (result[i + 1] < 1 || (result[i + 1] != down && result[i + 1] != up))
      return emitOpError() << "along spatial axis " << i << " there are " << down << " windows, or " << up
                           << " with partial ones, but the result has " << result[i + 1] << " elements";
  }
  return llvm::success();
}

llvm::LogicalResult ResizeOp::verify() {
  const Sizes image = shapeOf(getInput()), result = shapeOf(getOutput());
  if (image.size() != imageRank || result.size() != imageRank || result[0] != image[0] ||
      result[3] != image[3])
    return emitOpError() << "an image of shape " << text(image) << " cannot give a result of shape "
                         << text(result);
  if (getRows().size() != 3 || getColumns().size() != 3 || getRows()[1] < 1 || getColumns()[1] < 1)
    return emitOpError(
        "attributes 'rows' and 'columns' must each have a numerator, a positive denominator and an offset");
  return llvm::success();
}

llvm::LogicalResult DilateOp::verify() {
  Dims expected(shapeOf(getInput()));
  if (expected.size() != imageRank || getSteps().size() != 2 || getSteps()[0] < 1 || getSteps()[1] < 1)
    return emitOpError("the dilation needs an image, and a positive step for rows and for columns");
  for (size_t i = 0; i < 2; ++i)
    expected[i + 1] = (expected[i + 1] - 1) * getSteps()[i] + 1;
  if (llvm::failed(keepsType(*this)))
    return llvm::failure();
  return gives(*this, expected);
}

llvm::LogicalResult ReduceOp::verify() {
  Dims expected(shapeOf(getInput()));
  if (llvm::failed(areAxes(*this, getAxes(), expected.size())))
    return llvm::failure();
  for (const int64_t axis : getAxes())
    expected[axis] = 1;
  const ReduceFunction kind = getKind().getValue();
  const bool givesIndex = kind == ReduceFunction::argMax || kind == ReduceFunction::argMin;
  if (givesIndex && getAxes().size() != 1)
    return emitOpError("the index of a maximum or minimum needs exactly one axis");
  if (givesIndex && getFunction())
    return emitOpError("the reduction returns an index, to which no activation function can be applied");
  if (givesIndex && !isIndex(elementOf(getOutput())))
    return emitOpError() << "the reduction returns an index, so its element type must be i32 or i64, not "
                         << elementOf(getOutput());
  if (!givesIndex && getLastIndex())
    return emitOpError("the reduction has the attribute 'lastIndex', but does not return an index");
  return gives(*this, expected);
}

llvm::LogicalResult SoftmaxOp::verify() {
  if (llvm::failed(isAxis(*this, getAxis(), shapeOf(getInput()).size())))
    return llvm::failure();
  return gives(*this, shapeOf(getInput()));
}

llvm::LogicalResult NormalizeOp::verify() {
  const Sizes shape = shapeOf(getInput());
  if (llvm::failed(areAxes(*this, getAxes(), shape.size())))
    return llvm::failure();
  if (!(getEpsilon().convertToFloat() >= 0) || getEpsilon().isInfinity())
    return emitOpError("epsilon must be finite and not negative");
  if (llvm::failed(broadcastsTo(*this, getGain(), shape, "gain")) ||
      llvm::failed(broadcastsTo(*this, getShift(), shape, "shift")))
    return llvm::failure();
  return gives(*this, shape);
}

llvm::LogicalResult ReshapeOp::verify() {
  if (graph::tensorType(getInput()).getNumElements() != graph::tensorType(getOutput()).getNumElements())
    return emitOpError() << "shapes " << text(shapeOf(getInput())) << " and " << text(shapeOf(getOutput()))
                         << " have different numbers of elements";
  return keepsType(*this);
}

llvm::LogicalResult TransposeOp::verify() {
  const Sizes shape = shapeOf(getInput());
  if (!isPermutation(getPerm(), shape.size()))
    return emitOpError() << "perm " << text(getPerm()) << " is not a permutation of " << shape.size()
                         << " axes";
  Dims expected;
  for (const int64_t axis : getPerm())
    expected.push_back(shape[axis]);
  return llvm::failed(keepsType(*this)) ? llvm::failure() : gives(*this, expected);
}

llvm::LogicalResult ExpandOp::verify() {
  if (shapeOf(getInput()).size() != shapeOf(getOutput()).size())
    return emitOpError("input and result must have the same number of axes");
  if (llvm::failed(keepsType(*this)))
    return llvm::failure();
  return broadcastsTo(*this, getInput(), shapeOf(getOutput()), "input");
}

llvm::LogicalResult ConcatOp::verify() {
  if (getInputs().empty())
    return emitOpError("the concatenation has no inputs to concatenate");
  if (llvm::failed(isAxis(*this, getAxis(), shapeOf(getInputs().front()).size())))
    return llvm::failure();
  Dims expected(shapeOf(getInputs().front()));
  for (const mlir::Value input : getInputs().drop_front()) {
    const Sizes shape = shapeOf(input);
    for (size_t i = 0; i < expected.size(); ++i)
      if (shape.size() != expected.size() || (i != getAxis() && shape[i] != expected[i]))
        return emitOpError() << "shape " << text(shape) << " cannot be concatenated to " << text(expected)
                             << " along axis " << getAxis();
    expected[getAxis()] += shape[getAxis()];
  }
  return llvm::failed(keepsType(*this)) ? llvm::failure() : gives(*this, expected);
}

llvm::LogicalResult SliceOp::verify() {
  const Sizes shape = shapeOf(getInput()), result = shapeOf(getOutput());
  if (getStarts().size() != shape.size() || getSteps().size() != shape.size() ||
      result.size() != shape.size())
    return emitOpError("the slice needs a start and a step for every axis");
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t first = getStarts()[i], step = getSteps()[i];
    if (step == 0 || (result[i] > 1 && (step <= -shape[i] || step >= shape[i])))
      return emitOpError() << "the slice cannot take " << result[i] << " of " << shape[i]
                           << " elements in steps of " << step;
    const int64_t last = result[i] > 1 ? first + (result[i] - 1) * step : first;
    if (std::min(first, last) < 0 || std::max(first, last) >= shape[i])
      return emitOpError() << "the slice takes elements " << first << " to " << last << " on axis " << i
                           << ", which has only " << shape[i] << " elements";
  }
  return keepsType(*this);
}

llvm::LogicalResult PadOp::verify() {
  Dims expected(shapeOf(getInput()));
  if (getPads().size() != 2 * expected.size())
    return emitOpError("the padding needs two pads for every axis");
  for (size_t i = 0; i < expected.size(); ++i) {
    if (getPads()[i] < 0 || getPads()[expected.size() + i] < 0)
      return emitOpError("pads must not be negative");
    expected[i] += getPads()[i] + getPads()[expected.size() + i];
  }
  return llvm::failed(keepsType(*this)) ? llvm::failure() : gives(*this, expected);
}

llvm::LogicalResult GatherOp::verify() {
  const Sizes shape = shapeOf(getInput()), indices = shapeOf(getIndices());
  if (llvm::failed(isAxis(*this, getAxis(), shape.size())))
    return llvm::failure();
  if (!isIndex(elementOf(getIndices())))
    return emitOpError() << "indices must be i32 or i64, not " << elementOf(getIndices());
  Dims expected(shape.take_front(getAxis()));
  expected.append(indices.begin(), indices.end());
  expected.append(shape.begin() + getAxis() + 1, shape.end());
  return llvm::failed(keepsType(*this)) ? llvm::failure() : gives(*this, expected);
}

llvm::LogicalResult ConstantOp::verify() {
  if (getValue().getShapedType().getShape() != shapeOf(getOutput()))
    return emitOpError() << "the value has shape " << text(getValue().getShapedType().getShape())
                         << ", but the result has shape " << text(shapeOf(getOutput()));
  return holdsItsType(*this);
}

llvm::LogicalResult HostOp::verify() {
  if (static_cast<size_t>(llvm::count(getPresent(), true)) != getInputs().size())
    return emitOpError("the number of inputs differs from the number of inputs that are marked as present");
  if (getKernel() == llvm::StringRef(frameworkKernel))
    return getParameters().getAs<mlir::StringAttr>("model") && !getResults().empty()
               ? llvm::success()
               : emitOpError(
                     "an operation that runs a part of the model in the framework needs the parameter 'model', and results");
  const HostSignature *signature = findHostSignature(getKernel());
  if (!signature)
    return emitOpError() << "the host has no kernel '" << getKernel() << "'";
  // Only shapes and attributes are checked for the host kernel. Element types depend on the precision of the
  // layer, which the kernel's table does not know.
  const auto operandOf = [](mlir::Value value) { return HostOperand{{}, graph::shapeOf(value)}; };
  std::vector<std::optional<HostOperand>> inputs;
  auto next = getInputs().begin();
  for (const bool isPresent : getPresent())
    inputs.push_back(isPresent ? std::optional(operandOf(*next++)) : std::nullopt);
  const auto outputs = llvm::map_to_vector(getResults(), operandOf);
  if (const Status checked = checkHostOperands(*signature, inputs, outputs); !checked)
    return emitOpError(checked.error().message());
  return llvm::success();
}

mlir::OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(inner.getInput());
    return getOutput();
  }
  return {};
}

mlir::OpFoldResult TransposeOp::fold(FoldAdaptor) {
  bool isIdentity = true;
  for (size_t i = 0; i < getPerm().size(); ++i)
    isIdentity &= getPerm()[i] == static_cast<int64_t>(i);
  if (isIdentity)
    return getInput();
  auto inner = getInput().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  Dims perm;
  for (const int64_t axis : getPerm())
    perm.push_back(inner.getPerm()[axis]);
  setPerm(perm);
  getInputMutable().assign(inner.getInput());
  return getOutput();
}

} // namespace tilerig::compiler::layer
