// Random quantised operators of ONNX Runtime (domain com.microsoft) for random ONNX models.
#include "tests/support/RandomModel/Families.h"
#include "tests/support/RandomModel/Fitted.h"
#include "tests/support/RandomModel/Quantised.h"

#include <cmath>

namespace tilerig::test {

namespace {

void addDynamicRuntimeProduct(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(2, 3);
  const int64_t depth = x.shape.back(), columns = graph.random.between(1, 10);
  const QuantisedWeights weights =
      drawWeights(graph, graph.random.pick({DType::i8, DType::u8}), {depth, columns}, columns, depth);
  Names inputs = {x.name, weights.elements, weights.scales, weights.zeros};
  if (graph.random.chance(50))
    inputs.push_back(graph.floats({columns}, -0.5, 0.5));
  Shape shape = x.shape;
  shape.back() = columns;
  graph.give(graph.runtimeNode("DynamicQuantizeMatMul", inputs), shape, x.size);
}

void addIntegerProductToFloat(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(2, 3);
  const int64_t depth = x.shape.back(), columns = graph.random.between(1, 10);
  const DType type = graph.random.pick({DType::i8, DType::u8});
  const QuantisedValue value = quantised(graph, x, type);
  const QuantisedWeights weights =
      drawWeights(graph, type == DType::u8 && graph.random.chance(50) ? DType::u8 : DType::i8,
                  {depth, columns}, columns, depth);
  Names inputs = {value.value.name, weights.elements, value.grid.scale,
                  weights.scales,   value.grid.zero,  weights.zeros};
  if (graph.random.chance(50))
    inputs.push_back(graph.floats({columns}, -0.5, 0.5));
  Shape shape = x.shape;
  shape.back() = columns;
  graph.give(graph.runtimeNode("MatMulIntegerToFloat", inputs), shape, x.size);
}

void addQuantisedGemm(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(2, 2);
  const int64_t depth = x.shape[1], columns = graph.random.between(1, 10);
  const DType type = graph.random.pick({DType::i8, DType::u8});
  const QuantisedValue value = quantised(graph, x, type);
  const bool turns = graph.random.chance(50), hasResult = graph.random.chance(60);
  const QuantisedWeights weights =
      drawWeights(graph, DType::i8, turns ? Shape{columns, depth} : Shape{depth, columns}, columns, depth);
  Names inputs = {value.value.name, value.grid.scale, value.grid.zero,
                  weights.elements, weights.scales,   weights.zeros};
  if (graph.random.chance(50) || hasResult)
    inputs.push_back(graph.random.chance(70) ? graph.whole(DType::i32, {columns}, -500, 500) : "");
  const Shape shape = {x.shape[0], columns};
  const Grid result = drawGrid(graph, type, x.size);
  if (hasResult)
    inputs.push_back(result.scale), inputs.push_back(result.zero);
  while (inputs.back().empty())
    inputs.pop_back();
  onnx::NodeProto &node = graph.runtimeNode("QGemm", inputs);
  setInt(node, "transB", turns);
  if (graph.random.chance(20))
    setFloat(node, "alpha", 0.5f);
  if (hasResult)
    dequantised(graph, graph.keep(node, shape, type).name, shape, result);
  else
    graph.give(node, shape, x.size);
}

void addQuantisedSum(RandomGraph &graph) {
  const RandomValue x = graph.pick();
  const DType type = graph.random.pick({DType::i8, DType::u8});
  const QuantisedValue a = quantised(graph, x, type);
  const RandomValue other = fitted(graph, x.shape);
  const QuantisedValue b = quantised(graph, other, type);
  const Grid result = drawGrid(graph, type, x.size + other.size);
  const std::string op = graph.random.pick({"QLinearAdd", "QLinearMul"});
  onnx::NodeProto &node = graph.runtimeNode(op, {a.value.name, a.grid.scale, a.grid.zero, b.value.name,
                                                 b.grid.scale, b.grid.zero, result.scale, result.zero});
  dequantised(graph, graph.keep(node, x.shape, type).name, x.shape, result);
}

void addQuantisedFunction(RandomGraph &graph) {
  const RandomValue x = graph.pick();
  const DType type = graph.random.pick({DType::i8, DType::u8});
  const QuantisedValue value = quantised(graph, x, type);
  const std::string op = graph.random.pick({"QLinearLeakyRelu", "QLinearSigmoid"});
  const Grid result = drawGrid(graph, type, op == "QLinearSigmoid" ? 1 : x.size);
  onnx::NodeProto &node =
      graph.runtimeNode(op, {value.value.name, value.grid.scale, value.grid.zero, result.scale, result.zero});
  if (op == "QLinearLeakyRelu")
    setFloat(node, "alpha", 0.125f);
  dequantised(graph, graph.keep(node, x.shape, type).name, x.shape, result);
}

void addQuantisedConcat(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(1, 4);
  const DType type = graph.random.pick({DType::i8, DType::u8});
  const QuantisedValue a = quantised(graph, x, type);
  const RandomValue other = fitted(graph, x.shape);
  const QuantisedValue b = quantised(graph, other, type);
  const Grid result = drawGrid(graph, type, std::max(x.size, other.size));
  const auto axis = graph.random.below(x.shape.size());
  Shape shape = x.shape;
  shape[axis] *= 2;
  onnx::NodeProto &node =
      graph.runtimeNode("QLinearConcat", {result.scale, result.zero, a.value.name, a.grid.scale, a.grid.zero,
                                          b.value.name, b.grid.scale, b.grid.zero});
  setInt(node, "axis", static_cast<int64_t>(axis));
  dequantised(graph, graph.keep(node, shape, type).name, shape, result);
}

void addQuantisedPool(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(4, 4);
  const DType type = graph.random.pick({DType::i8, DType::u8});
  const QuantisedValue value = quantised(graph, x, type);
  const Grid result = drawGrid(graph, type, x.size);
  const bool isGlobal = graph.random.chance(50) || x.shape[2] < 2 || x.shape[3] < 2;
  onnx::NodeProto &node =
      graph.runtimeNode(isGlobal ? "QLinearGlobalAveragePool" : "QLinearAveragePool",
                        {value.value.name, value.grid.scale, value.grid.zero, result.scale, result.zero});
  if (!isGlobal)
    setInts(node, "kernel_shape", {2, 2}), setInts(node, "strides", {1, 1});
  const Shape shape = {x.shape[0], x.shape[1], isGlobal ? 1 : x.shape[2] - 1, isGlobal ? 1 : x.shape[3] - 1};
  dequantised(graph, graph.keep(node, shape, type).name, shape, result);
}

} // namespace

void addRuntimeQuantised(RandomGraph &graph) {
  if (graph.opset < 10)
    return;
  constexpr void (*all[])(RandomGraph &) = {
      addDynamicRuntimeProduct, addIntegerProductToFloat, addQuantisedGemm, addQuantisedSum,
      addQuantisedFunction,     addQuantisedConcat,       addQuantisedPool};
  graph.random.pick(all)(graph);
}

} // namespace tilerig::test
