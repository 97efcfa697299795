// Import of ONNX Runtime's operators on 8-bit integers as operations of `graph`, where these give the same bits:
// the composition has to round at the same points. All other operators and forms are kept, and run in the framework
// (RuntimeTypes.h): QLinearAdd, QLinearMul, QLinearSigmoid and QLinearGlobalAveragePool always, because
// they round a sum, a product or a mean in other places than the operators on dequantised numbers do.
#include "compiler/Graph/Import/Composition.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

using namespace graph;

bool isSingle(const NodeReader &node, size_t operand) {
  return tensorType(node.input(operand)).getNumElements() == 1;
}

// The sum of products as a float, times the scales of both operands, plus a bias.
ImportedValues scaled(const NodeReader &node, Composition &to, mlir::Value sum, mlir::Value scale,
                      mlir::Value bias) {
  if (!sum || !scale)
    return to.results({sum, scale});
  const mlir::Value reals = to.mul(to.cast(sum, elementOf(scale)), scale);
  if (!bias)
    return to.results({reals});
  if (reals && (elementOf(bias) != elementOf(reals) || shapeOf(bias) != shapeOf(reals).take_back(1)))
    return node.refuse(fmt::format("the bias has shape {}, expected {}", text(shapeOf(bias)),
                                   text(shapeOf(reals).take_back(1))));
  return to.results({to.add(reals, bias)});
}

ImportedValues matMulIntegerToFloat(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(4, 7));
  if (!isSingle(node, 2))
    return node.refuse(
        fmt::format("the scale of the left operand has shape {}, expected one element", text(node.shape(2))));
  Composition to(node);
  const mlir::Value sum =
      to.make<MatMulIntegerOp>(node.input(0), node.input(1), node.input(4), node.input(5));
  return scaled(node, to, sum, to.mul(to.reshape(node.input(2), {}), node.input(3)), node.input(6));
}

ImportedValues dynamicQuantizeMatMul(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3, 5));
  TILERIG_TRY(const Values quantised, node.makeAll<DynamicQuantizeLinearOp>(node.input(0)));
  Composition to(node);
  const mlir::Value sum = to.make<MatMulIntegerOp>(quantised[0], node.input(1), quantised[2], node.input(3));
  return scaled(node, to, sum, to.mul(quantised[1], node.input(2)), node.input(4));
}

// --- QGemm ---

// The grid of the result is given by operands 7 and 8. Only sums without an addend are products of ONNX; with an
// addend for each column, they are convolutions with a kernel of 1 × 1, which have a bias.
ImportedValues quantisedGemm(const NodeReader &node, Composition &to, mlir::Value a, mlir::Value b) {
  if (!node.has(8))
    return node.unsupportedHere("a result without a zero point is not supported by the accelerator");
  if (!a || !b)
    return to.results({a, b});
  const int64_t rows = shapeOf(a)[0], depth = shapeOf(a)[1], columns = shapeOf(b)[1];
  if (!node.has(6)) {
    TILERIG_TRY(const mlir::Value y,
                node.makeAs<QLinearMatMulOp>({rows, columns}, node.elementType(8), a, node.input(1),
                                             node.input(2), b, node.input(4), node.input(5), node.input(7),
                                             node.input(8)));
    return Values{y};
  }
  if (node.shape(6) != llvm::ArrayRef<int64_t>{columns} &&
      node.shape(6) != llvm::ArrayRef<int64_t>{1, columns})
    return node.unsupportedHere(
        "an addend that does not have one element for each column is not supported by the "
        "accelerator");
  const mlir::Value image = to.reshape(a, {rows, depth, 1, 1}), bias = to.reshape(node.input(6), {columns}),
                    kernel = to.reshape(to.transpose(b, {1, 0}), {columns, depth, 1, 1});
  if (!image || !bias || !kernel)
    return to.results({image, bias, kernel});
  const Ints ones = {1, 1}, pads = {0, 0, 0, 0};
  TILERIG_TRY(const mlir::Value sums,
              node.makeAs<QLinearConvOp>({rows, columns, 1, 1}, node.elementType(8), image, node.input(1),
                                         node.input(2), kernel, node.input(4), node.input(5), node.input(7),
                                         node.input(8), bias, uint64_t{1}, ones, ones, pads));
  return to.results({to.reshape(sums, {rows, columns})});
}

ImportedValues qGemm(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(6, 9));
  if (node.rank(0) != 2 || node.rank(3) != 2)
    return node.refuse(
        fmt::format("operands {} and {} must be matrices", text(node.shape(0)), text(node.shape(3))));
  if (node.real("alpha", 1) != 1)
    return node.unsupportedHere("alpha other than 1 is not supported by the accelerator");
  Composition to(node);
  const auto oriented = [&](size_t operand, std::string_view attribute) {
    return node.integer(attribute, 0) != 0 ? to.transpose(node.input(operand), {1, 0}) : node.input(operand);
  };
  const mlir::Value a = oriented(0, "transA"), b = oriented(3, "transB");
  if (node.has(7))
    return quantisedGemm(node, to, a, b);
  mlir::Value sum = to.make<MatMulIntegerOp>(a, b, node.input(2), node.input(5));
  if (node.has(6))
    sum = to.add(sum, node.input(6));
  return scaled(node, to, sum, to.mul(to.reshape(node.input(1), {}), node.input(4)), mlir::Value());
}

// --- Operators on dequantised numbers ---

// Operand `index`, dequantised; its scale and zero point follow it.
Result<mlir::Value> dequantised(const NodeReader &node, size_t index) {
  return node.makeAs<DequantizeLinearOp>(node.shape(index), node.elementType(index + 1), node.input(index),
                                         node.input(index + 1), node.input(index + 2), uint64_t{0},
                                         uint64_t{0});
}

// Quantises `reals` to the grid that begins with operand `scale`.
Result<mlir::Value> quantised(const NodeReader &node, mlir::Value reals, size_t scale, mlir::Type type) {
  return node.makeAs<QuantizeLinearOp>(shapeOf(reals), type, reals, node.input(scale), node.input(scale + 1),
                                       uint64_t{0}, uint64_t{0});
}

// Refuses a node that has not one scale for each of its tensors.
Status hasSingleScales(const NodeReader &node, llvm::ArrayRef<size_t> scales) {
  for (const size_t scale : scales)
    if (!node.has(scale))
      return node.refuse(fmt::format("input {} is missing", scale));
    else if (!isSingle(node, scale))
      return node.refuse(fmt::format("a scale has shape {}, expected one element", text(node.shape(scale))));
  return success();
}

ImportedValues qLinearLeakyRelu(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 5));
  TILERIG_CHECK_OK(hasSingleScales(node, {1, 3}));
  TILERIG_TRY(const mlir::Value reals, dequantised(node, 0));
  TILERIG_TRY(const mlir::Value y, node.make<LeakyReluOp>(reals, llvm::APFloat(node.real("alpha", 0.01F))));
  TILERIG_TRY(const mlir::Value result, quantised(node, y, 3, node.elementType(0)));
  return Values{result};
}

// Whether two operands are constants of the same bits, or both are absent.
bool areEqual(const NodeReader &node, size_t first, size_t second) {
  if (!node.has(first) || !node.has(second))
    return node.has(first) == node.has(second);
  const auto a = node.constant(first, ""), b = node.constant(second, "");
  return a && b && a->dtype() == b->dtype() && std::ranges::equal(a->bytes(), b->bytes());
}

// Operand `index` of QLinearConcat on the grid of the result. A constant is left to the framework: as a constant of
// floats it would be rounded to the precision of the network.
Result<mlir::Value> regridded(const NodeReader &node, size_t index) {
  if (node.constant(index, ""))
    return node.unsupportedHere("a quantised constant is not supported by the accelerator");
  if (node.inputs().size() == 5 && areEqual(node, index + 1, 0) && areEqual(node, index + 2, 1))
    return node.input(index); // nothing is joined, and nothing rounded
  TILERIG_TRY(const mlir::Value reals, dequantised(node, index));
  return quantised(node, reals, 0, node.elementType(2));
}

// Operands are scale and zero point of the result, then tensors, each with its own.
ImportedValues qLinearConcat(const NodeReader &node) {
  const size_t count = node.inputs().size();
  if (count < 5 || count % 3 != 2)
    return node.refuse(
        fmt::format("the node has {} inputs, expected two for the result and three for each operand", count));
  TILERIG_CHECK_OK(hasSingleScales(node, {0}));
  Values parts;
  for (size_t i = 2; i < count; i += 3) {
    if (!node.has(i))
      return node.refuse(fmt::format("input {} is missing", i));
    TILERIG_CHECK_OK(hasSingleScales(node, {i + 1}));
    TILERIG_TRY(parts.emplace_back(), regridded(node, i));
  }
  TILERIG_TRY(const int64_t signedAxis, node.neededInteger("axis"));
  TILERIG_TRY(const int64_t axis, node.axis(signedAxis, node.rank(2)));
  TILERIG_TRY(const mlir::Value y, node.make<ConcatOp>(mlir::ValueRange(parts), static_cast<uint64_t>(axis)));
  return Values{y};
}

} // namespace

void addQuantisedRuntime(ImporterTable &table) {
  table.emplace("com.microsoft.DynamicQuantizeMatMul", dynamicQuantizeMatMul);
  table.emplace("com.microsoft.MatMulIntegerToFloat", matMulIntegerToFloat);
  table.emplace("com.microsoft.QGemm", qGemm);
  table.emplace("com.microsoft.QLinearConcat", qLinearConcat);
  table.emplace("com.microsoft.QLinearLeakyRelu", qLinearLeakyRelu);
}

} // namespace tilerig::compiler
