// Random attention of ONNX Runtime (domain com.microsoft) for random ONNX models.
#include "tests/support/RandomModel/Families.h"
#include "tests/support/RandomModel/Fitted.h"

#include <cmath>

namespace tilerig::test {

namespace {

// A mask of integers: lengths, a row for each batch, or none.
std::string integerMask(RandomGraph &graph, int64_t batch, int64_t queries, int64_t keys) {
  switch (graph.random.below(5)) {
  case 0:
    return graph.whole(DType::i32, {batch}, 1, keys);
  case 1:
    return graph.whole(DType::i32, {batch, keys}, 0, 1);
  case 2:
    return graph.whole(DType::i32, {batch, queries, keys}, 0, 1);
  default:
    return "";
  }
}

void trim(Names &inputs) {
  while (inputs.back().empty())
    inputs.pop_back();
}

void addMultiHead(RandomGraph &graph) {
  Random &random = graph.random;
  const int64_t batch = random.between(1, 2), heads = random.between(1, 3), queries = random.between(1, 5),
                size = random.between(1, 6);
  const bool isCausal = random.chance(30), hasPast = random.chance(30);
  const int64_t keys = isCausal ? queries : random.between(1, 6), past = hasPast ? random.between(1, 3) : 0;
  const int64_t width = hasPast ? size : random.between(1, 6), total = keys + past;
  const RandomValue q = fitted(graph, {batch, queries, heads * size}),
                    k = fitted(graph, {batch, keys, heads * size}),
                    v = fitted(graph, {batch, keys, heads * width});
  Names inputs = {q.name, k.name, v.name, "", "", "", "", ""};
  if (random.chance(40))
    inputs[3] = graph.floats({heads * (2 * size + width)}, -0.5, 0.5);
  inputs[4] = integerMask(graph, batch, queries, total);
  if (random.chance(30))
    inputs[5] = random.chance(50) ? graph.floats({1, heads, queries, total}, -1, 1)
                                  : fitted(graph, {batch, heads, queries, total}).name;
  if (hasPast) {
    inputs[6] = fitted(graph, {batch, heads, past, size}).name;
    inputs[7] = fitted(graph, {batch, heads, past, width}).name;
  }
  trim(inputs);
  onnx::NodeProto &node = graph.runtimeNode("MultiHeadAttention", inputs, hasPast ? 3 : 1);
  setInt(node, "num_heads", heads), setInt(node, "unidirectional", isCausal);
  graph.give(node, {batch, queries, heads * width}, v.size + 0.3);
  if (hasPast) {
    graph.give(node, {batch, heads, total, size}, k.size + 0.3, DType::f32, 1);
    graph.give(node, {batch, heads, total, width}, v.size + 0.3, DType::f32, 2);
  }
}

// Attention with the projection of its input.
void addProjectedAttention(RandomGraph &graph) {
  Random &random = graph.random;
  const int64_t batch = random.between(1, 2), heads = random.between(1, 3), queries = random.between(1, 5),
                size = random.between(1, 6), features = random.between(1, 8);
  const bool hasPast = random.chance(30);
  const int64_t past = hasPast ? random.between(1, 3) : 0, hidden = heads * size;
  const RandomValue x = fitted(graph, {batch, queries, features});
  const double bound = std::sqrt(3.0 / static_cast<double>(features));
  Names inputs = {x.name,
                  graph.floats({features, 3 * hidden}, -bound, bound),
                  graph.floats({3 * hidden}, -0.5, 0.5),
                  "",
                  "",
                  ""};
  inputs[3] = integerMask(graph, batch, queries, queries + past);
  if (hasPast)
    inputs[4] = fitted(graph, {2, batch, heads, past, size}).name;
  else if (random.chance(30))
    inputs[5] = graph.floats({1, heads, queries, queries}, -1, 1);
  trim(inputs);
  onnx::NodeProto &node = graph.runtimeNode("Attention", inputs, hasPast ? 2 : 1);
  setInt(node, "num_heads", heads), setInt(node, "unidirectional", random.chance(40));
  graph.give(node, {batch, queries, hidden}, x.size);
  if (hasPast)
    graph.give(node, {2, batch, heads, past + queries, size}, x.size, DType::f32, 1);
}

void addGroupQuery(RandomGraph &graph) {
  Random &random = graph.random;
  const int64_t batch = random.between(1, 2), kv = random.between(1, 2), heads = kv * random.between(1, 2),
                size = 2 * random.pick({4, 8});
  const bool hasPast = random.chance(40), rotates = random.chance(50);
  const int64_t queries = hasPast ? 1 : random.between(1, 5), past = hasPast ? random.between(1, 4) : 0,
                total = queries + past;
  const RandomValue q = fitted(graph, {batch, queries, heads * size}),
                    k = fitted(graph, {batch, queries, kv * size}),
                    v = fitted(graph, {batch, queries, kv * size});
  Names inputs = {q.name, k.name, v.name, "", "", "", "", "", ""};
  if (hasPast) {
    inputs[3] = fitted(graph, {batch, kv, past, size}).name;
    inputs[4] = fitted(graph, {batch, kv, past, size}).name;
  }
  inputs[5] = graph.whole(DType::i32, {batch}, total - 1, total - 1);
  inputs[6] = graph.whole(DType::i32, {1}, total, total);
  if (rotates) {
    inputs[7] = graph.floats({total + 4, size / 2}, -1, 1);
    inputs[8] = graph.floats({total + 4, size / 2}, -1, 1);
  }
  trim(inputs);
  onnx::NodeProto &node = graph.runtimeNode("GroupQueryAttention", inputs, 3);
  setInt(node, "num_heads", heads), setInt(node, "kv_num_heads", kv), setInt(node, "do_rotary", rotates);
  if (rotates)
    setInt(node, "rotary_interleaved", random.chance(50));
  if (random.chance(25))
    setInt(node, "local_window_size", random.between(1, 4));
  graph.give(node, {batch, queries, heads * size}, v.size);
  graph.give(node, {batch, kv, total, size}, k.size, DType::f32, 1);
  graph.give(node, {batch, kv, total, size}, v.size, DType::f32, 2);
}

} // namespace

void addRuntimeAttention(RandomGraph &graph) {
  constexpr void (*all[])(RandomGraph &) = {addMultiHead, addProjectedAttention, addGroupQuery};
  graph.random.pick(all)(graph);
}

} // namespace tilerig::test
