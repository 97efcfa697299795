// Random operators of ONNX Runtime (domain com.microsoft) on floats, except attention.
#include "tests/support/RandomModel/Families.h"
#include "tests/support/RandomModel/Fitted.h"

#include <cmath>

namespace tilerig::test {

namespace {

void addFusedProduct(RandomGraph &graph) {
  Random &random = graph.random;
  const int64_t rows = random.between(1, 8), depth = random.between(1, 12), columns = random.between(1, 8),
                batch = random.between(1, 3);
  const bool hasBatch = random.chance(60), turnsA = random.chance(40), turnsB = random.chance(40);
  const bool batchA = hasBatch && random.chance(25), batchB = hasBatch && random.chance(25);
  const auto stored = [&](int64_t first, int64_t second, bool turns, bool isBatchInside) {
    Shape shape = turns ? Shape{second, first} : Shape{first, second};
    if (hasBatch)
      shape.insert(shape.begin() + (isBatchInside ? 1 : 0), batch);
    return shape;
  };
  const RandomValue a = fitted(graph, stored(rows, depth, turnsA, batchA));
  const Shape other = stored(depth, columns, turnsB, batchB);
  const double bound = std::sqrt(3.0 / static_cast<double>(depth));
  const std::string b = random.chance(60) ? graph.floats(other, -bound, bound) : fitted(graph, other).name;
  onnx::NodeProto &node = graph.runtimeNode("FusedMatMul", {a.name, b});
  setInt(node, "transA", turnsA), setInt(node, "transB", turnsB);
  setInt(node, "transBatchA", batchA), setInt(node, "transBatchB", batchB);
  if (random.chance(50))
    setFloat(node, "alpha", 0.125f);
  Shape shape = {rows, columns};
  if (hasBatch)
    shape.insert(shape.begin(), batch);
  graph.give(node, shape, a.size * std::sqrt(static_cast<double>(depth)));
}

void addFusedConvolution(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(4, 4);
  const int64_t outputs = random.between(1, 8);
  const Shape shape = {x.shape[0], outputs, x.shape[2], x.shape[3]};
  if (!RandomGraph::fits(shape))
    return;
  const double bound = std::sqrt(3.0 / static_cast<double>(x.shape[1] * 9));
  Names inputs = {x.name, graph.floats({outputs, x.shape[1], 3, 3}, -bound, bound),
                  graph.floats({outputs}, -0.5, 0.5)};
  if (random.chance(40))
    inputs.push_back(fitted(graph, shape).name);
  onnx::NodeProto &node = graph.runtimeNode("FusedConv", inputs);
  setInts(node, "kernel_shape", {3, 3}), setInts(node, "pads", {1, 1, 1, 1});
  const std::string activation =
      random.pick({"", "Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid"});
  if (!activation.empty())
    setText(node, "activation", activation);
  std::vector<float> parameters;
  if (activation == "LeakyRelu")
    parameters = {0.1f};
  if (activation == "Clip")
    parameters = {-0.5f, 0.7f};
  if (activation == "HardSigmoid")
    parameters = {0.3f, 0.4f};
  if (!parameters.empty()) {
    onnx::AttributeProto &list = *node.add_attribute();
    list.set_name("activation_params");
    list.set_type(onnx::AttributeProto::FLOATS);
    for (float parameter : parameters)
      list.add_floats(parameter);
  }
  graph.give(node, shape, x.size + 1);
}

void addRuntimeActivation(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(1, 4);
  const std::string op = graph.random.pick({"Gelu", "BiasGelu", "FastGelu", "QuickGelu"});
  Names inputs = {x.name};
  if (op == "BiasGelu" || (op == "FastGelu" && graph.random.chance(50)))
    inputs.push_back(graph.floats({x.shape.back()}, -0.5, 0.5));
  onnx::NodeProto &node = graph.runtimeNode(op, inputs);
  if (op == "QuickGelu")
    setFloat(node, "alpha", graph.random.pick({1.702f, 1.0f}));
  graph.give(node, x.shape, x.size);
}

void addSkipNorm(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(3, 3);
  const bool isCentred = random.chance(50), keepsSum = random.chance(40);
  const RandomValue skip = fitted(graph, x.shape);
  const Shape row = {x.shape[2]};
  Names inputs = {x.name, skip.name, graph.floats(row, 0.5, 1.5)};
  if (isCentred)
    inputs.push_back(random.chance(60) ? graph.floats(row, -0.5, 0.5) : "");
  inputs.push_back(random.chance(50) ? graph.floats(row, -0.5, 0.5) : "");
  while (inputs.back().empty())
    inputs.pop_back();
  onnx::NodeProto &node = graph.runtimeNode(
      isCentred ? "SkipLayerNormalization" : "SkipSimplifiedLayerNormalization", inputs, keepsSum ? 4 : 1);
  setFloat(node, "epsilon", 1e-2f);
  if (keepsSum)
    node.set_output(1, ""), node.set_output(2, "");
  graph.give(node, x.shape, 1);
  if (keepsSum)
    graph.give(node, x.shape, x.size + skip.size, DType::f32, 3);
}

void addEmbedding(RandomGraph &graph) {
  Random &random = graph.random;
  const int64_t batch = random.between(1, 2), length = random.between(1, 5), width = random.between(2, 9),
                words = random.between(2, 6);
  const auto ids = [&](int64_t count) {
    if (graph.depth == 0 && random.chance(60))
      return graph.input({batch, length}, DType::i32).name;
    return graph.whole(DType::i32, {batch, length}, 0, count - 1);
  };
  const bool hasSegments = random.chance(50);
  const std::string tokens = ids(words), segments = hasSegments ? ids(2) : "";
  const std::string word = graph.floats({words, width}, -1, 1),
                    place = graph.floats({length + 1, width}, -1, 1);
  const std::string segment = hasSegments ? graph.floats({2, width}, -1, 1) : "";
  const std::string gain = graph.floats({width}, 0.5, 1.5), shift = graph.floats({width}, -0.5, 0.5);
  onnx::NodeProto &node =
      graph.runtimeNode("EmbedLayerNormalization", {tokens, segments, word, place, segment, gain, shift}, 2);
  setFloat(node, "epsilon", 1e-2f);
  graph.give(node, {batch, length, width}, 1);
}

void addRuntimeRotary(RandomGraph &graph) {
  Random &random = graph.random;
  const int64_t batch = random.between(1, 2), heads = random.between(1, 3), length = random.between(1, 5),
                pairs = random.between(1, 4);
  const RandomValue x = fitted(graph, random.chance(50) ? Shape{batch, length, 2 * heads * pairs}
                                                        : Shape{batch, heads, length, 2 * pairs});
  const Shape table = {length + 3, pairs};
  const std::string positions = random.chance(50) ? graph.whole(DType::i64, {1}, 0, 3)
                                                  : graph.whole(DType::i64, {batch, length}, 0, length + 2);
  const std::string cosines = graph.floats(table, -1, 1), sines = graph.floats(table, -1, 1);
  onnx::NodeProto &node = graph.runtimeNode("RotaryEmbedding", {x.name, positions, cosines, sines});
  setInt(node, "interleaved", random.chance(50));
  graph.give(node, x.shape, x.size);
}

void addBlockProduct(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(2, 3);
  const int64_t bits = random.pick({4, 4, 8}), block = random.pick({16, 32}), depth = x.shape.back(),
                columns = random.between(1, 8);
  const int64_t blocks = (depth + block - 1) / block;
  const std::string weights = graph.whole(DType::u8, {columns, blocks, block * bits / 8}, 0, 255);
  const double bound = (bits == 4 ? 0.2 : 0.01) / std::sqrt(static_cast<double>(depth));
  Names inputs = {x.name, weights, graph.floats({columns, blocks}, bound / 2, bound)};
  if (random.chance(40))
    inputs.push_back(graph.whole(DType::u8, {columns, bits == 4 ? (blocks + 1) / 2 : blocks},
                                 bits == 4 ? 0x77 : 120, bits == 4 ? 0x88 : 136));
  onnx::NodeProto &node = graph.runtimeNode("MatMulNBits", inputs);
  setInt(node, "K", depth), setInt(node, "N", columns), setInt(node, "bits", bits),
      setInt(node, "block_size", block);
  Shape shape = x.shape;
  shape.back() = columns;
  graph.give(node, shape, x.size);
}

} // namespace

void addRuntimeLayer(RandomGraph &graph) {
  constexpr void (*all[])(RandomGraph &) = {addFusedProduct, addFusedConvolution, addRuntimeActivation,
                                            addSkipNorm,     addEmbedding,        addRuntimeRotary,
                                            addBlockProduct};
  graph.random.pick(all)(graph);
}

} // namespace tilerig::test
