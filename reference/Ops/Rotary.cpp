// The operators RotaryEmbedding of ONNX and of ONNX Runtime, which differ in their inputs.
#include "reference/Ops/Rotary.h"

#include "reference/Ops/AttentionCore.h"
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"

namespace tilerig::reference {

namespace {

struct RotaryNode {
  int64_t batch = 0, heads = 0, length = 0, size = 0; // of the input
  bool headsInside = false; // whether the input has the shape batch × length × (heads · size)
  int64_t pairs = 0;        // number of pairs of elements that are rotated
  bool interleaved = false; // whether the elements of a pair are neighbours
  size_t cosines = 0;       // index of the input with the cosines; the next one has the sines
  // For each token, the row of the tables with its angles.
  std::vector<int64_t> rows = {};
};

// Reads the shape of the input. `size`: size of a head if the number of heads is not given.
Result<RotaryNode> readShape(const OpContext &context, size_t cosines, int64_t size) {
  const Shape &shape = context.input(0).shape();
  TILERIG_TRY(const int64_t heads, context.intAttribute("num_heads", 0));
  TILERIG_TRY(const int64_t rotated, context.intAttribute("rotary_embedding_dim", 0));
  TILERIG_TRY(const int64_t interleaved, context.intAttribute("interleaved", 0));
  RotaryNode node{.interleaved = interleaved != 0, .cosines = cosines};
  if (shape.size() == 4) {
    node.batch = shape[0], node.heads = shape[1], node.length = shape[2], node.size = shape[3];
    node.headsInside = false;
  } else if (shape.size() == 3) {
    if (heads == 0 && size == 0)
      return context.invalid("an input of rank 3 needs the attribute num_heads");
    const int64_t headSize = heads ? shape[2] / std::max<int64_t>(heads, 1) : size;
    if (heads < 0 || headSize < 1 || shape[2] % headSize || (heads && shape[2] % heads))
      return context.invalid(
          fmt::format("the input of shape {} cannot be divided into heads", showShape(shape)));
    node.batch = shape[0], node.heads = shape[2] / headSize, node.length = shape[1], node.size = headSize;
    node.headsInside = true;
  } else {
    return context.invalid(fmt::format("the input has shape {}, expected rank 3 or 4", showShape(shape)));
  }
  const int64_t all = rotated ? rotated : node.size;
  if (all < 0 || all > node.size || all % 2)
    return context.invalid(
        fmt::format("{} elements of a head of {} elements cannot be rotated in pairs", all, node.size));
  node.pairs = all / 2;
  return node;
}

Status checkTables(const OpContext &context, const RotaryNode &node, size_t rank) {
  for (const size_t index : {node.cosines, node.cosines + 1}) {
    const Tensor &table = context.input(index);
    if (table.rank() != rank || table.shape().back() != node.pairs ||
        table.shape() != context.input(node.cosines).shape())
      return context.invalid(
          fmt::format("input {} has shape {}, expected rank {} and {} columns, one for each rotated "
                      "pair of elements",
                      index, showShape(table.shape()), rank, node.pairs));
    if (table.dtype() != context.input(0).dtype())
      return context.invalid(fmt::format("input {} has type {}, but input 0 has type {}", index,
                                         nameOf(table.dtype()), nameOf(context.input(0).dtype())));
  }
  return success();
}

Status checkRows(const OpContext &context, const RotaryNode &node) {
  const int64_t count = context.input(node.cosines).shape()[0];
  for (const int64_t row : node.rows)
    if (row < 0 || row >= count)
      return context.invalid(fmt::format("a position is {}, but the tables have {} rows", row, count));
  return success();
}

Status rotate(OpContext &context, const RotaryNode &node) {
  return withFloats(context, [&]<class T>() -> Status {
    const T *const cosines = context.input(node.cosines).as<T>().data();
    const T *const sines = context.input(node.cosines + 1).as<T>().data();
    Tensor y = context.take(0);
    T *const data = y.template mutableAs<T>().data();
    const auto vectors = node.headsInside
                             ? HeadVectors<T>::headsInside(data, node.heads, node.length, node.size)
                             : HeadVectors<T>::headsFirst(data, node.heads, node.length, node.size);
    context.threads.forEach(node.batch * node.length, 16, [&](int64_t begin, int64_t end) {
      for (int64_t token = begin; token < end; ++token)
        for (int64_t head = 0; head < node.heads; ++head) {
          T *const vector = vectors.at(token / node.length, head, token % node.length);
          const int64_t row = node.rows[static_cast<size_t>(token)] * node.pairs;
          rotatePairs(vector, cosines + row, sines + row, node.pairs, node.size, node.interleaved, vector);
        }
    });
    context.outputs[0] = std::move(y);
    return success();
  });
}

// ONNX's operator: with position ids the tables have a row for each position, else one for each token.
Status rotaryEmbedding(OpContext &context) {
  TILERIG_TRY(RotaryNode node, readShape(context, 1, 0));
  const bool hasPositions = context.has(3);
  TILERIG_CHECK_OK(checkTables(context, node, hasPositions ? 2 : 3));
  if (hasPositions) {
    TILERIG_TRY(node.rows, context.integers(3));
    if (context.input(3).shape() != Shape{node.batch, node.length})
      return context.invalid(fmt::format("position_ids has shape {}, expected [{}, {}]",
                                         showShape(context.input(3).shape()), node.batch, node.length));
    TILERIG_CHECK_OK(checkRows(context, node));
  } else {
    const Shape &table = context.input(1).shape();
    if (table[0] != node.batch || table[1] != node.length)
      return context.invalid(fmt::format("cos_cache has shape {}, expected [{}, {}, {}] without position_ids",
                                         showShape(table), node.batch, node.length, node.pairs));
    for (int64_t token = 0; token < node.batch * node.length; ++token)
      node.rows.push_back(token);
  }
  return rotate(context, node);
}

// ONNX Runtime's operator: position ids are the second input, one for each token or the first one for all sequences.
Status runtimeRotaryEmbedding(OpContext &context) {
  TILERIG_TRY(const int64_t packed, context.intAttribute("is_packed_batching", 0));
  TILERIG_TRY(const float scale, context.floatAttribute("scale", 1.0f));
  if (packed != 0)
    return context.notSupported("attribute is_packed_batching is not supported",
                                "pad the sequences of the batch");
  if (scale != 1)
    return context.notSupported("attribute scale is not supported",
                                "use scale 1, and scale the input instead");
  const Shape &table = context.input(2).shape();
  TILERIG_TRY(RotaryNode node, readShape(context, 2, table.empty() ? 0 : 2 * table.back()));
  TILERIG_CHECK_OK(checkTables(context, node, 2));
  TILERIG_TRY(const std::vector<int64_t> positions, context.integers(1));
  const Shape &shape = context.input(1).shape();
  const int64_t tokens = node.batch * node.length;
  if (shape != Shape{1} && shape != Shape{node.batch, node.length})
    return context.invalid(fmt::format("position_ids has shape {}, expected [1] or [{}, {}]",
                                       showShape(shape), node.batch, node.length));
  for (int64_t token = 0; token < tokens; ++token)
    node.rows.push_back(shape.size() == 1 ? positions[0] + token % node.length
                                          : positions[static_cast<size_t>(token)]);
  TILERIG_CHECK_OK(checkRows(context, node));
  return rotate(context, node);
}

} // namespace

std::span<const OpEntry> rotaryOps() {
  static constexpr OpEntry entries[] = {
      {"RotaryEmbedding", 23, 3, 4, rotaryEmbedding},
      {"RotaryEmbedding", 1, 4, 4, runtimeRotaryEmbedding, HalfFloats::widened, "com.microsoft"},
  };
  return entries;
}

} // namespace tilerig::reference
