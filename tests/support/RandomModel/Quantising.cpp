// Random quantised operators of ONNX for random ONNX models.
#include "tests/support/RandomModel/Quantised.h"

#include "tests/support/RandomModel/Families.h"
#include "tests/support/RandomModel/Fitted.h"

#include <cmath>

namespace tilerig::test {

Grid drawGrid(RandomGraph &graph, DType type, double size) {
  Random &random = graph.random;
  const double scale = size * static_cast<double>(random.between(2, 6)) / 256;
  const bool isCentred = random.chance(40);
  const std::string step = graph.number(scale);
  const int64_t zero = isCentred ? (type == DType::u8 ? 128 : 0)
                                 : random.between(type == DType::u8 ? 90 : -30, type == DType::u8 ? 150 : 30);
  return {step, graph.whole(type, {}, zero, zero), scale};
}

QuantisedValue quantised(RandomGraph &graph, const RandomValue &x, DType type) {
  const Grid grid = drawGrid(graph, type, std::max(x.size, 0.5));
  return {graph.keep(graph.node("QuantizeLinear", {x.name, grid.scale, grid.zero}), x.shape, type), grid};
}

RandomValue dequantised(RandomGraph &graph, const std::string &name, const Shape &shape, const Grid &grid) {
  return graph.give(graph.node("DequantizeLinear", {name, grid.scale, grid.zero}), shape, 40 * grid.step);
}

QuantisedWeights drawWeights(RandomGraph &graph, DType type, const Shape &shape, int64_t outputs,
                             int64_t terms) {
  const double scale = std::sqrt(3.0 / static_cast<double>(terms)) / 128;
  const bool isPerColumn = graph.random.chance(50);
  const Shape listed = isPerColumn ? Shape{outputs} : Shape{};
  const std::string elements =
      type == DType::u8 ? graph.whole(type, shape, 0, 255) : graph.whole(type, shape, -127, 127);
  const std::string scales = graph.floats(listed, scale / 2, scale);
  const std::string zeros =
      type == DType::u8 ? graph.whole(type, listed, 120, 136) : graph.whole(type, listed, 0, 0);
  return {elements, scales, zeros, scale};
}

namespace {

DType drawByte(RandomGraph &graph) { return graph.random.pick({DType::i8, DType::u8}); }

// Quantises and dequantises, as tools write it between the operators of a quantised model.
void addQuantisationPair(RandomGraph &graph) {
  if (graph.opset < 10)
    return;
  const RandomValue x = graph.pick();
  const DType type = graph.opset >= 21 && graph.random.chance(20)
                         ? graph.random.pick({DType::i16, DType::u16})
                         : drawByte(graph);
  const QuantisedValue value = quantised(graph, x, type);
  dequantised(graph, value.value.name, x.shape, value.grid);
}

void addQuantisedWeights(RandomGraph &graph) {
  if (graph.opset < 13)
    return;
  const RandomValue x = graph.pickOfRank(2, 3);
  const int64_t depth = x.shape.back(), columns = graph.random.between(1, 12);
  const QuantisedWeights weights = drawWeights(graph, DType::i8, {depth, columns}, columns, depth);
  onnx::NodeProto &node = graph.node("DequantizeLinear", {weights.elements, weights.scales, weights.zeros});
  setInt(node, "axis", 1);
  const RandomValue real = graph.keep(node, {depth, columns}, DType::f32);
  Shape shape = x.shape;
  shape.back() = columns;
  graph.give(graph.node("MatMul", {x.name, real.name}), shape, x.size);
}

void addQuantisedProduct(RandomGraph &graph) {
  if (graph.opset < 10)
    return;
  const RandomValue x = graph.pickOfRank(2, 3);
  const int64_t depth = x.shape.back(), columns = graph.random.between(1, 12);
  const DType type = drawByte(graph);
  const QuantisedValue value = quantised(graph, x, type);
  QuantisedWeights weights = drawWeights(graph, type, {depth, columns}, columns, depth);
  const Grid result = drawGrid(graph, type, x.size);
  Shape shape = x.shape;
  shape.back() = columns;
  const Names inputs = {value.value.name, value.grid.scale, value.grid.zero, weights.elements,
                        weights.scales,   weights.zeros,    result.scale,    result.zero};
  const RandomValue product = graph.keep(graph.node("QLinearMatMul", inputs), shape, type);
  dequantised(graph, product.name, shape, result);
}

void addQuantisedConvolution(RandomGraph &graph) {
  if (graph.opset < 10)
    return;
  const RandomValue x = graph.pickOfRank(4, 4);
  if (x.shape[2] < 3 || x.shape[3] < 3)
    return;
  const DType type = drawByte(graph);
  const int64_t outputs = graph.random.between(1, 8), terms = x.shape[1] * 9;
  const QuantisedValue value = quantised(graph, x, type);
  const QuantisedWeights weights = drawWeights(graph, graph.random.chance(70) ? DType::i8 : type,
                                               {outputs, x.shape[1], 3, 3}, outputs, terms);
  const Grid result = drawGrid(graph, type, x.size);
  Names inputs = {value.value.name, value.grid.scale, value.grid.zero, weights.elements,
                  weights.scales,   weights.zeros,    result.scale,    result.zero};
  if (graph.random.chance(60))
    inputs.push_back(graph.whole(DType::i32, {outputs}, -500, 500));
  onnx::NodeProto &node = graph.node("QLinearConv", inputs);
  setInts(node, "kernel_shape", {3, 3}), setInts(node, "pads", {1, 1, 1, 1});
  const Shape shape = {x.shape[0], outputs, x.shape[2], x.shape[3]};
  const RandomValue product = graph.keep(node, shape, type);
  dequantised(graph, product.name, shape, result);
}

// A product of integers, of which one is quantised at run time, and its conversion to floats.
void addDynamicProduct(RandomGraph &graph) {
  if (graph.opset < 11)
    return;
  const bool isConvolution = graph.random.chance(40);
  const RandomValue x = isConvolution ? graph.pickOfRank(4, 4) : graph.pickOfRank(2, 3);
  if (isConvolution && (x.shape[2] < 2 || x.shape[3] < 2))
    return;
  onnx::NodeProto &dynamic = graph.node("DynamicQuantizeLinear", {x.name}, 3);
  const RandomValue q = graph.keep(dynamic, x.shape, DType::u8),
                    scale = graph.keep(dynamic, {}, DType::f32, 1),
                    zero = graph.keep(dynamic, {}, DType::u8, 2);
  const int64_t depth = isConvolution ? x.shape[1] * 4 : x.shape.back(), outputs = graph.random.between(1, 9);
  const DType type = drawByte(graph);
  const int64_t low = type == DType::u8 ? 0 : -127, high = type == DType::u8 ? 255 : 127;
  Shape shape = x.shape;
  RandomValue product;
  if (isConvolution) {
    const std::string weights = graph.whole(type, {outputs, x.shape[1], 2, 2}, low, high),
                      at = graph.whole(type, {}, 3, 9);
    shape = {x.shape[0], outputs, x.shape[2] - 1, x.shape[3] - 1};
    product = graph.keep(graph.node("ConvInteger", {q.name, weights, zero.name, at}), shape, DType::i32);
  } else {
    const std::string weights = graph.whole(type, {depth, outputs}, low, high),
                      at = graph.whole(type, {}, 3, 9);
    shape.back() = outputs;
    product = graph.keep(graph.node("MatMulInteger", {q.name, weights, zero.name, at}), shape, DType::i32);
  }
  const RandomValue real = castTo(graph, product, DType::f32);
  const std::string step = graph.number(1 / (128 * std::sqrt(static_cast<double>(depth))));
  const RandomValue factor = graph.keep(graph.node("Mul", {scale.name, step}), {}, DType::f32);
  graph.give(graph.node("Mul", {real.name, factor.name}), shape, x.size);
}

} // namespace

void addQuantised(RandomGraph &graph) {
  constexpr void (*all[])(RandomGraph &) = {addQuantisationPair,     addQuantisedWeights, addQuantisedProduct,
                                            addQuantisedConvolution, addDynamicProduct,   addDynamicProduct};
  graph.random.pick(all)(graph);
}

} // namespace tilerig::test
