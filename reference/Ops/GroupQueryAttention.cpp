// ONNX Runtime's operator GroupQueryAttention: causal attention with grouped heads, a cache of keys and values, and
// optionally rotary position embedding. The sequences of a batch may have different lengths.
#include "reference/Ops/AttentionCore.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"
#include "reference/Ops/Rotary.h"

#include <optional>

namespace tilerig::reference {

namespace {

enum GroupInput : size_t {
  query,
  key,
  value,
  pastKey,
  pastValue,
  lastKeys,
  totalLength,
  cosines,
  sines,
  positions,
  attentionBias,
  sink
};

struct GroupedNode {
  AttentionShape shape; // `keys`: the length of the cache that is returned
  int64_t past = 0;     // length of the cache that is given
  bool isPacked;        // whether the query contains keys and values
  bool isPrompt;        // whether all tokens of the sequences are in this call
  std::vector<int64_t>
      ends; // for each element of the batch the number of its tokens, with those of the cache
  double scale, softcap;
  int64_t window; // -1: none; else a query attends to itself and the window - 1 tokens before it
  bool isCausal, isSmooth;
  int64_t pairs = 0; // rotated pairs of elements; 0: none
  bool isInterleaved;

  // The tokens of a sequence that the cache has already.
  int64_t cached(int64_t batch) const {
    return isPrompt ? 0 : ends[static_cast<size_t>(batch)] - shape.queries;
  }
};

Status checkGroupedForm(const OpContext &context) {
  for (const std::string_view attribute : {"qk_output", "sliding_window_cache"}) {
    TILERIG_TRY(const int64_t number, context.intAttribute(attribute, 0));
    if (number != 0)
      return context.notSupported(fmt::format("attribute {} is not supported", attribute), "leave it out");
  }
  for (const std::string_view attribute : {"k_quant_type", "v_quant_type"}) {
    TILERIG_TRY(const std::string kind, context.textAttribute(attribute, "NONE"));
    if (kind != "NONE")
      return context.notSupported(fmt::format("attribute {} = '{}' is not supported", attribute, kind),
                                  "use a cache of floats");
  }
  if (context.numInputs() > sink + 1)
    for (size_t index = sink + 1; index < context.numInputs(); ++index)
      if (context.has(index))
        return context.notSupported(fmt::format("input {} is not supported", index), "leave it out");
  for (const size_t index : {key, value, pastKey, pastValue, cosines, sines, sink})
    if (context.has(index) && context.input(index).dtype() != context.input(query).dtype())
      return context.invalid(fmt::format("input {} has type {}, but the query has type {}", index,
                                         nameOf(context.input(index).dtype()),
                                         nameOf(context.input(query).dtype())));
  if (context.has(key) != context.has(value) || context.has(pastKey) != context.has(pastValue))
    return context.invalid("key and value, and past_key and past_value, must be given together");
  if (!context.has(lastKeys) || !context.has(totalLength))
    return context.invalid("seqlens_k (input 5) and total_sequence_length (input 6) must be given");
  return success();
}

Result<AttentionShape> groupedShape(const OpContext &context) {
  TILERIG_TRY(const int64_t heads, context.intAttribute("num_heads"));
  TILERIG_TRY(const int64_t keyHeads, context.intAttribute("kv_num_heads"));
  const Shape &q = context.input(query).shape();
  if (heads < 1 || keyHeads < 1 || heads % keyHeads || q.size() != 3)
    return context.invalid(
        fmt::format("the query has shape {}, num_heads is {} and kv_num_heads {}; expected rank 3 "
                    "and a multiple of kv_num_heads",
                    showShape(q), heads, keyHeads));
  const int64_t parts = context.has(key) ? heads : heads + 2 * keyHeads;
  const AttentionShape shape{q[0], heads, keyHeads, q[1], 0, q[2] / parts, q[2] / parts};
  const Shape expected{q[0], q[1], keyHeads * shape.headSize};
  if (q[2] % parts || (context.has(key) &&
                       (context.input(key).shape() != expected || context.input(value).shape() != expected)))
    return context.invalid(
        fmt::format("query {} does not match key and value of {} heads", showShape(q), keyHeads));
  return shape;
}

// Reads how many tokens each sequence has, and how long the caches are.
Status readLengths(const OpContext &context, GroupedNode &node) {
  AttentionShape &shape = node.shape;
  TILERIG_TRY(node.ends, context.integers(lastKeys));
  TILERIG_TRY(const std::vector<int64_t> totals, context.integers(totalLength));
  if (static_cast<int64_t>(node.ends.size()) != shape.batch || totals.size() != 1)
    return context.invalid(
        "seqlens_k must have one element for each sequence, and total_sequence_length one element");
  const int64_t total = totals[0];
  if (context.has(pastKey)) {
    const Shape &old = context.input(pastKey).shape();
    node.past = old.size() == 4 ? old[2] : 0;
    if (old != Shape{shape.batch, shape.keyHeads, node.past, shape.headSize} ||
        context.input(pastValue).shape() != old)
      return context.invalid(fmt::format("past_key {} and past_value {} do not match the keys",
                                         showShape(old), showShape(context.input(pastValue).shape())));
  }
  node.isPrompt = total == shape.queries;
  shape.keys = std::max(node.past, total);
  const int64_t least = node.isPrompt ? 1 : shape.queries;
  for (int64_t &end : node.ends)
    if (++end < least || end > total || (!node.isPrompt && end - shape.queries > node.past))
      return context.invalid(
          fmt::format("seqlens_k contains {}, which does not match {} new tokens, {} tokens in all "
                      "and a cache of {}",
                      end - 1, shape.queries, total, node.past));
  if (total < shape.queries)
    return context.invalid(
        fmt::format("total_sequence_length is {}, less than the {} new tokens", total, shape.queries));
  return success();
}

Status readRotation(const OpContext &context, GroupedNode &node) {
  TILERIG_TRY(const int64_t rotates, context.intAttribute("do_rotary", 0));
  TILERIG_TRY(const int64_t interleaved, context.intAttribute("rotary_interleaved", 0));
  node.isInterleaved = interleaved != 0;
  if (rotates == 0)
    return success();
  if (!context.has(cosines) || !context.has(sines))
    return context.invalid("do_rotary needs cos_cache and sin_cache (inputs 7 and 8)");
  const Shape &table = context.input(cosines).shape();
  if (table.size() != 2 || table != context.input(sines).shape() || 2 * table[1] > node.shape.headSize)
    return context.invalid(
        fmt::format("cos_cache has shape {}, expected a matrix of at most {} columns, and sin_cache "
                    "the same",
                    showShape(table), node.shape.headSize / 2));
  node.pairs = table[1];
  return success();
}

Result<GroupedNode> groupedNodeOf(const OpContext &context) {
  TILERIG_CHECK_OK(checkGroupedForm(context));
  GroupedNode node;
  TILERIG_TRY(node.shape, groupedShape(context));
  node.isPacked = !context.has(key);
  TILERIG_TRY(const float scale, context.floatAttribute("scale", 0.0f));
  TILERIG_TRY(const float softcap, context.floatAttribute("softcap", 0.0f));
  TILERIG_TRY(node.window, context.intAttribute("local_window_size", -1));
  TILERIG_TRY(const int64_t causal, context.intAttribute("causal", 1));
  TILERIG_TRY(const int64_t smooth, context.intAttribute("smooth_softmax", 0));
  node.scale =
      scale != 0 ? static_cast<double>(scale) : 1 / std::sqrt(static_cast<double>(node.shape.headSize));
  node.softcap = static_cast<double>(softcap);
  node.isCausal = causal != 0;
  node.isSmooth = smooth == 1;
  if (node.window != -1 && (node.window < 1 || !node.isCausal))
    return context.invalid("local_window_size must be -1, or positive with causal = 1");
  if (context.has(sink) && context.input(sink).shape() != Shape{node.shape.heads})
    return context.invalid(fmt::format("head_sink has shape {}, expected [{}]",
                                       showShape(context.input(sink).shape()), node.shape.heads));
  TILERIG_CHECK_OK(readLengths(context, node));
  TILERIG_CHECK_OK(readRotation(context, node));
  return node;
}

// For each new token, the row of the tables of cosines and sines; empty if nothing is rotated.
Result<std::vector<int64_t>> rotationRows(const OpContext &context, const GroupedNode &node) {
  const AttentionShape &shape = node.shape;
  std::vector<int64_t> rows, given;
  if (node.pairs == 0)
    return rows;
  if (context.has(positions)) {
    TILERIG_TRY(given, context.integers(positions));
    if (context.input(positions).shape() != Shape{shape.batch, shape.queries})
      return context.invalid(fmt::format("position_ids has shape {}, expected [{}, {}]",
                                         showShape(context.input(positions).shape()), shape.batch,
                                         shape.queries));
  }
  const int64_t count = context.input(cosines).shape()[0];
  for (int64_t token = 0; token < shape.batch * shape.queries; ++token) {
    const int64_t step = token % shape.queries;
    // A prompt uses only the first position and counts from there.
    rows.push_back(given.empty()   ? node.cached(token / shape.queries) + step
                   : node.isPrompt ? given[0] + step
                                   : given[static_cast<size_t>(token)]);
    if (rows.back() < 0 || rows.back() >= count)
      return context.invalid(fmt::format("a position is {}, but cos_cache has {} rows", rows.back(), count));
  }
  return rows;
}

template <class T>
class GroupedRun {
public:
  GroupedRun(OpContext &context, const GroupedNode &node, const std::vector<int64_t> &rows)
      : context(context), node(node), rows(rows), shape(node.shape), size(node.shape.headSize) {}

  Status operator()(const ScoreRules &rules) {
    const DType type = context.input(query).dtype();
    const Shape cache{shape.batch, shape.keyHeads, shape.keys, size};
    TILERIG_TRY(Tensor q, Tensor::make(type, {shape.batch, shape.heads, shape.queries, size}));
    TILERIG_TRY(Tensor k, Tensor::make(type, cache));
    TILERIG_TRY(Tensor v, Tensor::make(type, cache));
    TILERIG_TRY(Tensor y, Tensor::make(type, {shape.batch, shape.queries, shape.heads * size}));
    const auto queries =
        HeadVectors<T>::headsFirst(q.mutableAs<T>().data(), shape.heads, shape.queries, size);
    const auto keys = HeadVectors<T>::headsFirst(k.mutableAs<T>().data(), shape.keyHeads, shape.keys, size);
    const auto values = HeadVectors<T>::headsFirst(v.mutableAs<T>().data(), shape.keyHeads, shape.keys, size);
    for (int64_t batch = 0; batch < shape.batch; ++batch) {
      copyNew(query, 0, queries, batch, shape.heads, 0, true);
      copyCached(pastKey, keys, batch);
      copyNew(key, shape.heads, keys, batch, shape.keyHeads, node.cached(batch), true);
      copyCached(pastValue, values, batch);
      copyNew(value, shape.heads + shape.keyHeads, values, batch, shape.keyHeads, node.cached(batch), false);
    }
    using From = HeadVectors<const T>;
    attend<T>(shape, rules, From{queries.data, queries.batchStride, queries.headStride, queries.rowStride},
              From{keys.data, keys.batchStride, keys.headStride, keys.rowStride},
              From{values.data, values.batchStride, values.headStride, values.rowStride},
              HeadVectors<T>::headsInside(y.mutableAs<T>().data(), shape.heads, shape.queries, size),
              static_cast<T *>(nullptr), context.threads);
    context.outputs[0] = std::move(y);
    if (context.wants(1))
      context.outputs[1] = std::move(k);
    if (context.wants(2))
      context.outputs[2] = std::move(v);
    return success();
  }

private:
  // Copies the new vectors of an element of the batch to the rows from `first` on, rotated if the node rotates. In a
  // packed query, the vectors of `index` begin behind `headsBefore` heads.
  void copyNew(size_t index, int64_t headsBefore, HeadVectors<T> to, int64_t batch, int64_t heads,
               int64_t first, bool rotates) const {
    const int64_t width = (node.isPacked ? shape.heads + 2 * shape.keyHeads : heads) * size;
    const T *const from = context.input(node.isPacked ? size_t{query} : index).as<T>().data() +
                          (node.isPacked ? headsBefore * size : 0);
    const T *const cosine = node.pairs ? context.input(cosines).as<T>().data() : nullptr;
    const T *const sine = node.pairs ? context.input(sines).as<T>().data() : nullptr;
    for (int64_t row = 0; row < shape.queries; ++row)
      for (int64_t head = 0; head < heads; ++head) {
        const int64_t token = batch * shape.queries + row;
        const T *const vector = from + token * width + head * size;
        T *const target = to.at(batch, head, first + row);
        if (rotates && node.pairs) {
          const int64_t offset = rows[static_cast<size_t>(token)] * node.pairs;
          rotatePairs(vector, cosine + offset, sine + offset, node.pairs, size, node.isInterleaved, target);
        } else {
          std::copy_n(vector, size, target);
        }
      }
  }
  void copyCached(size_t index, HeadVectors<T> to, int64_t batch) const {
    if (!node.cached(batch))
      return;
    const auto from = HeadVectors<const T>::headsFirst(context.input(index).as<T>().data(), shape.keyHeads,
                                                       node.past, size);
    for (int64_t head = 0; head < shape.keyHeads; ++head)
      std::copy_n(from.at(batch, head, 0), node.cached(batch) * size, to.at(batch, head, 0));
  }

  OpContext &context;
  const GroupedNode &node;
  const std::vector<int64_t> &rows;
  const AttentionShape &shape;
  int64_t size;
};

// Excludes the keys that a query does not attend to.
void excludeKeys(const GroupedNode &node, std::span<double> bias, int64_t batch, int64_t index) {
  const int64_t place = node.cached(batch) + index, end = node.ends[static_cast<size_t>(batch)];
  for (int64_t i = 0; i < static_cast<int64_t>(bias.size()); ++i)
    if (i >= end || (node.isCausal && i > place) || (node.window > 0 && i <= place - node.window))
      bias[static_cast<size_t>(i)] = -INFINITY;
}

Status groupQueryAttention(OpContext &context) {
  TILERIG_TRY(const GroupedNode node, groupedNodeOf(context));
  TILERIG_TRY(const std::vector<int64_t> rows, rotationRows(context, node));
  std::optional<BroadcastMask> addends;
  if (context.has(attentionBias)) {
    TILERIG_TRY(addends, BroadcastMask::read(context, attentionBias, node.shape, true));
  }
  std::vector<double> sinks(node.isSmooth ? static_cast<size_t>(node.shape.heads) : 0, 0.0);
  if (context.has(sink)) {
    TILERIG_TRY(sinks, floatsAs<double>(context, context.input(sink)));
  }
  const ScoreRules rules{.scale = node.scale,
                         .softcap = node.softcap,
                         .fillBias =
                             [&](int64_t batch, int64_t head, int64_t index, std::span<double> bias) {
                               if (addends)
                                 addends->addTo(bias, batch, head, index);
                               excludeKeys(node, bias, batch, index);
                             },
                         .sinks = std::move(sinks)};
  return withFloats(context, [&]<class T>() { return GroupedRun<T>(context, node, rows)(rules); });
}

} // namespace

std::span<const OpEntry> groupQueryAttentionOps() {
  static constexpr OpEntry entries[] = {
      {"GroupQueryAttention", 1, 1, 16, groupQueryAttention, HalfFloats::widened, "com.microsoft"},
  };
  return entries;
}

} // namespace tilerig::reference
