#include "compiler/Graph/Import/Composition.h"
#include "compiler/Graph/Import/WindowAttributes.h"
#include "isa/Base/Tensor/FourBits.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Value = Result<mlir::Value>;

// Axis and block size of the scales; with one scale for the whole tensor the axis is irrelevant and set to 0.
struct Granularity {
  uint64_t axis, block;
};

Result<Granularity> granularityOf(const NodeReader &node) {
  const int64_t block = node.integer("block_size", 0), signedAxis = node.integer("axis", 1);
  if (block < 0)
    return node.refuse(fmt::format("attribute 'block_size' is negative: {}", block));
  if (block == 0 && node.rank(1) <= 1 && tensorType(node.input(1)).getNumElements() == 1)
    return Granularity{0, 0};
  TILERIG_TRY(const int64_t axis, node.axis(signedAxis, node.rank(0)));
  return Granularity{static_cast<uint64_t>(axis), static_cast<uint64_t>(block)};
}

// Imports QuantizeLinear. The result type is that of the zero point, else the one stated by output_dtype,
// else uint8.
Value quantize(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 3));
  TILERIG_TRY(const Granularity granularity, granularityOf(node));
  const int64_t number = node.integer("output_dtype", 0);
  if (fourBitsOfOnnx(number))
    return node.unsupportedHere("quantising to 4-bit integers is not supported by the accelerator");
  const auto stated = dtypeOfOnnx(number);
  if (number != 0 && !stated)
    return node.unsupportedHere(
        fmt::format("attribute 'output_dtype' is {}, which is not supported", number));
  const mlir::Type type = node.has(2) ? node.elementType(2) : node.typeOf(stated.value_or(DType::u8));
  if (stated && type != node.typeOf(*stated))
    return node.refuse("attribute 'output_dtype' contradicts the type of the zero point");
  return node.makeAs<QuantizeLinearOp>(node.shape(0), type, node.input(0), node.input(1), node.input(2),
                                       granularity.axis, granularity.block);
}

// Imports DequantizeLinear of 8-bit floats, which are constants of floats here: a product with the scales, each
// repeated for the elements of its axis or block. Their zero point is always 0.
Value scaleFloats(const NodeReader &node, const Granularity &granularity) {
  Composition to(node);
  mlir::Value scale = node.input(1);
  const auto shape = node.shape(0);
  if (granularity.block != 0) {
    Ints indices;
    for (int64_t i = 0; i < shape[granularity.axis]; ++i)
      indices.push_back(i / static_cast<int64_t>(granularity.block));
    scale = to.gather(scale, to.integers(indices, {static_cast<int64_t>(indices.size())}),
                      static_cast<int64_t>(granularity.axis));
  } else if (tensorType(scale).getNumElements() != 1) {
    Ints broadcastShape(shape.size(), 1);
    broadcastShape[granularity.axis] = tensorType(scale).getNumElements();
    scale = to.reshape(scale, broadcastShape);
  } else {
    scale = to.reshape(scale, {});
  }
  const mlir::Value result = scale ? to.mul(to.cast(node.input(0), elementOf(scale)), scale) : nullptr;
  TILERIG_TRY(const Values results, to.results({result}));
  if (shapeOf(results[0]) != shape)
    return node.refuse(fmt::format("a scale of shape {} does not fit an input of shape {}",
                                   text(node.shape(1)), text(shape)));
  return results[0];
}

Value dequantize(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 3));
  TILERIG_TRY(const Granularity granularity, granularityOf(node));
  if (node.attribute(storedFloats))
    return scaleFloats(node, granularity);
  return node.makeAs<DequantizeLinearOp>(node.shape(0), node.elementType(1), node.input(0), node.input(1),
                                         node.input(2), granularity.axis, granularity.block);
}

ImportedValues dynamicQuantize(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  return node.makeAll<DynamicQuantizeLinearOp>(node.input(0));
}

Value qlinearConv(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(8, 9));
  TILERIG_TRY(const WindowAttributes windows, convolutionWindows(node, 3));
  const Complaints complaints = node.listen();
  const auto shape = convolved(node.shape(0), node.shape(3), {}, node.integer("group", 1), windows.strides,
                               windows.dilations, windows.pads, {node.place()});
  if (!shape)
    return node.refuse(complaints.text());
  return node.makeAs<QLinearConvOp>(*shape, node.elementType(7), node.input(0), node.input(1), node.input(2),
                                    node.input(3), node.input(4), node.input(5), node.input(6), node.input(7),
                                    node.input(8), static_cast<uint64_t>(node.integer("group", 1)),
                                    windows.strides, windows.dilations, windows.pads);
}

Value qlinearMatMul(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(8));
  const Complaints complaints = node.listen();
  const auto shape = multiplied(node.shape(0), node.shape(3), {node.place()});
  if (!shape)
    return node.refuse(complaints.text());
  return node.makeAs<QLinearMatMulOp>(*shape, node.elementType(7), node.input(0), node.input(1),
                                      node.input(2), node.input(3), node.input(4), node.input(5),
                                      node.input(6), node.input(7));
}

Value convInteger(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 4));
  TILERIG_TRY(const WindowAttributes windows, anyConvolutionWindows(node, 1));
  TILERIG_TRY(const mlir::Value sums,
              node.make<ConvIntegerOp>(node.input(0), node.input(1), node.input(2), node.input(3),
                                       static_cast<uint64_t>(node.integer("group", 1)), windows.strides,
                                       windows.dilations, windows.pads));
  if (!axisInPadding(windows, node.shape(0)))
    return sums;
  // Padding has the value of the zero point, so all sums are zero.
  const Dims shape(shapeOf(sums));
  sums.getDefiningOp()->erase();
  const mlir::Value zero = node.constantValue(Tensor(DType::i32, {}));
  return node.makeAs<ExpandOp>(shape, tensorType(zero).getElementType(), zero);
}

Value matMulInteger(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 4));
  return node.make<MatMulIntegerOp>(node.input(0), node.input(1), node.input(2), node.input(3));
}

} // namespace

void addQuantised(ImporterTable &table) {
  table.emplace("QuantizeLinear", one(quantize));
  table.emplace("DequantizeLinear", one(dequantize));
  table.emplace("DynamicQuantizeLinear", dynamicQuantize);
  table.emplace("QLinearConv", one(qlinearConv));
  table.emplace("QLinearMatMul", one(qlinearMatMul));
  table.emplace("ConvInteger", one(convInteger));
  table.emplace("MatMulInteger", one(matMulInteger));
}

} // namespace tilerig::compiler
