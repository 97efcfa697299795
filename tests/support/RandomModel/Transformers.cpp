// Random operators of transformers as ONNX has them since operator set 23, and normalisations that ONNX got late.
#include "tests/support/RandomModel/Families.h"
#include "tests/support/RandomModel/Fitted.h"

#include <cmath>

namespace tilerig::test {

namespace {

void addRmsNorm(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(1, 4);
  const auto axis =
      graph.opset < 23 ? x.rank() - 1 : static_cast<int64_t>(graph.random.below(x.shape.size()));
  const Shape row(x.shape.begin() + axis, x.shape.end());
  const std::string gain = graph.floats(row, 0.5, 1.5);
  onnx::NodeProto &node =
      graph.node(graph.opset < 23 ? "SimplifiedLayerNormalization" : "RMSNormalization", {x.name, gain});
  setInt(node, "axis", graph.random.chance(50) ? axis - x.rank() : axis);
  setFloat(node, "epsilon", graph.random.pick({1e-5f, 1e-2f}));
  graph.give(node, x.shape, 1);
}

void addGroupNorm(RandomGraph &graph) {
  if (graph.opset < 21)
    return;
  const RandomValue x = graph.pickOfRank(3, 5);
  const int64_t groups = x.shape[1] % 2 == 0 ? 2 : 1;
  const std::string scale = graph.floats({x.shape[1]}, 0.5, 1.5),
                    bias = graph.floats({x.shape[1]}, -0.5, 0.5);
  onnx::NodeProto &node = graph.node("GroupNormalization", {x.name, scale, bias});
  setInt(node, "num_groups", groups);
  setFloat(node, "epsilon", 1e-2f);
  graph.give(node, x.shape, 1);
}

void addMeanVarianceNorm(RandomGraph &graph) {
  if (graph.opset < 9)
    return;
  const RandomValue x = graph.pickOfRank(4, 4);
  if (x.elements() / x.shape[1] < 4) // the deviation of few elements may be zero
    return;
  const RandomValue spread = graph.binary("Add", x, graph.floats(x.shape, -1, 1), x.size + 1);
  graph.give(graph.node("MeanVarianceNormalization", {spread.name}), x.shape, 1);
}

void addVectorNorm(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(1, 4), positive = graph.positive(x);
  onnx::NodeProto &node = graph.node("LpNormalization", {positive.name});
  setInt(node, "axis", graph.written(static_cast<int64_t>(graph.random.below(x.shape.size())), x.rank()));
  setInt(node, "p", graph.random.between(1, 2));
  graph.give(node, x.shape, 0.5);
}

void addSwish(RandomGraph &graph) {
  if (graph.opset < 24)
    return;
  const RandomValue x = graph.pick();
  onnx::NodeProto &node = graph.node("Swish", {x.name});
  if (graph.random.chance(50))
    setFloat(node, "alpha", graph.random.pick({0.5f, 1.702f}));
  graph.give(node, x.shape, x.size);
}

void addRotary(RandomGraph &graph) {
  if (graph.opset < 23)
    return;
  Random &random = graph.random;
  const int64_t batch = random.between(1, 2), heads = random.between(1, 3), length = random.between(1, 5),
                pairs = random.between(1, 4);
  const bool isJoined = random.chance(50), hasPositions = random.chance(50);
  const int64_t size = 2 * pairs + (random.chance(30) ? 2 : 0);
  const RandomValue x =
      fitted(graph, isJoined ? Shape{batch, length, heads * size} : Shape{batch, heads, length, size});
  const Shape table = hasPositions ? Shape{length + 2, pairs} : Shape{batch, length, pairs};
  Names inputs = {x.name, graph.floats(table, -1, 1), graph.floats(table, -1, 1)};
  if (hasPositions)
    inputs.push_back(graph.whole(DType::i64, {batch, length}, 0, length + 1));
  onnx::NodeProto &node = graph.node("RotaryEmbedding", inputs);
  setInt(node, "interleaved", random.chance(50));
  if (isJoined || size != 2 * pairs)
    setInt(node, "num_heads", heads);
  if (size != 2 * pairs)
    setInt(node, "rotary_embedding_dim", 2 * pairs);
  graph.give(node, x.shape, x.size);
}

void addTensorScatter(RandomGraph &graph) {
  if (graph.opset < 24)
    return;
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(3, 4);
  const int64_t axis = random.between(1, x.rank() - 1), size = x.shape[static_cast<size_t>(axis)];
  Shape shape = x.shape;
  shape[static_cast<size_t>(axis)] = random.between(1, size);
  const RandomValue update = fitted(graph, shape);
  const bool isCircular = random.chance(50);
  Names inputs = {x.name, update.name};
  if (random.chance(80))
    inputs.push_back(graph.whole(DType::i64, {x.shape[0]}, 0,
                                 isCircular ? size - 1 : size - shape[static_cast<size_t>(axis)]));
  onnx::NodeProto &node = graph.node("TensorScatter", inputs);
  setInt(node, "axis", random.chance(50) ? axis : axis - x.rank());
  setText(node, "mode", isCircular ? "circular" : "linear");
  graph.give(node, x.shape, std::max(x.size, update.size));
}

void addAttentionOperator(RandomGraph &graph) {
  if (graph.opset < 23)
    return;
  Random &random = graph.random;
  const int64_t batch = random.between(1, 2), kv = random.between(1, 2), heads = kv * random.between(1, 2);
  const int64_t queries = random.between(1, 5), keys = random.between(1, 6), size = random.between(1, 8),
                width = random.between(1, 8);
  const bool isJoined = random.chance(50), hasPast = random.chance(35);
  const int64_t past = hasPast ? random.between(1, 3) : 0, total = keys + past;
  const auto operand = [&](int64_t count, int64_t length, int64_t features) {
    return fitted(graph,
                  isJoined ? Shape{batch, length, count * features} : Shape{batch, count, length, features});
  };
  const RandomValue q = operand(heads, queries, size), k = operand(kv, keys, size),
                    v = operand(kv, keys, width);
  Names inputs = {q.name, k.name, v.name, "", "", "", ""};
  if (random.chance(40)) {
    const Shape full = random.chance(50) ? Shape{queries, total} : Shape{batch, 1, queries, total};
    if (random.chance(50)) {
      Tensor mask(DType::boolean, full);
      for (bool &element : mask.mutableAs<bool>())
        element = random.chance(75);
      inputs[3] = graph.constant(mask);
    } else {
      inputs[3] = random.chance(50) ? graph.floats(full, -2, 0) : fitted(graph, full).name;
    }
  }
  if (hasPast) {
    inputs[4] = fitted(graph, {batch, kv, past, size}).name;
    inputs[5] = fitted(graph, {batch, kv, past, width}).name;
  } else if (graph.opset >= 24 && random.chance(20)) {
    inputs[6] = graph.whole(DType::i64, {batch}, 1, keys);
  }
  while (inputs.back().empty())
    inputs.pop_back();
  onnx::NodeProto &node = graph.node("Attention", inputs, hasPast ? 3 : 1);
  if (isJoined)
    setInt(node, "q_num_heads", heads), setInt(node, "kv_num_heads", kv);
  if (random.chance(30))
    setInt(node, "is_causal", 1);
  if (random.chance(25))
    setFloat(node, "scale", 0.3f);
  if (random.chance(25))
    setFloat(node, "softcap", 2.0f);
  graph.give(node, isJoined ? Shape{batch, queries, heads * width} : Shape{batch, heads, queries, width},
             v.size);
  if (hasPast) {
    graph.give(node, {batch, kv, total, size}, k.size, DType::f32, 1);
    graph.give(node, {batch, kv, total, width}, v.size, DType::f32, 2);
  }
}

} // namespace

void addTransformerOperator(RandomGraph &graph) {
  constexpr void (*all[])(RandomGraph &) = {
      addRmsNorm, addGroupNorm,     addMeanVarianceNorm,  addVectorNorm,       addSwish,
      addRotary,  addTensorScatter, addAttentionOperator, addAttentionOperator};
  graph.random.pick(all)(graph);
}

} // namespace tilerig::test
