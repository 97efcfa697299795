// ONNX Runtime's operators Attention, which includes the projection of its input, and MultiHeadAttention. A mask adds
// a filter value to the scores of padding; causality excludes keys.
#include "reference/Ops/AttentionCore.h"
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"

#include <optional>

namespace tilerig::reference {

namespace {

// What the two operators have in common, once their inputs are separate queries, keys and values.
struct FusedAttention {
  AttentionShape shape;
  double scale, filter;
  bool isCausal;
  int64_t past = 0;
};

// Reads the attributes that both operators have.
Result<FusedAttention> attributesOf(const OpContext &context, const AttentionShape &shape, int64_t past) {
  TILERIG_TRY(const float filter, context.floatAttribute("mask_filter_value", -10000.0f));
  TILERIG_TRY(const float scale, context.floatAttribute("scale", 0.0f));
  TILERIG_TRY(const int64_t causal, context.intAttribute("unidirectional", 0));
  const double usual = 1 / std::sqrt(static_cast<double>(shape.headSize));
  if (causal != 0 && shape.queries != shape.keys - past)
    return context.notSupported(
        fmt::format("attribute unidirectional is not supported for {} queries and {} keys", shape.queries,
                    shape.keys - past),
        "use as many queries as keys, or an attention bias");
  return FusedAttention{shape, scale != 0 ? static_cast<double>(scale) : usual, static_cast<double>(filter),
                        causal != 0, past};
}

// A mask of integers: for each key, a matrix for each element of the batch, or the end (and start) of the valid keys.
// It adds the filter value to the scores of masked keys.
struct IntegerMask {
  std::vector<int64_t> numbers;
  size_t rank = 0; // 0: no mask
  int64_t batch, queries, keys;

  static Result<IntegerMask> read(const OpContext &context, size_t index, const AttentionShape &shape,
                                  bool mayHaveStarts) {
    IntegerMask mask{{}, 0, shape.batch, shape.queries, shape.keys};
    if (!context.has(index))
      return mask;
    const Shape &own = context.input(index).shape();
    TILERIG_TRY(mask.numbers, context.integers(index));
    mask.rank = own.size();
    const bool fits = own == Shape{shape.batch} || own == Shape{shape.batch, shape.keys} ||
                      own == Shape{shape.batch, shape.queries, shape.keys} ||
                      (mayHaveStarts && own == Shape{2 * shape.batch});
    if (!fits)
      return context.notSupported(
          fmt::format("a mask of shape {} is not supported for {} sequences of {} queries and {} keys",
                      showShape(own), shape.batch, shape.queries, shape.keys),
          "use a mask with one number for each key");
    return mask;
  }

  bool isMasked(int64_t b, int64_t query, int64_t key) const {
    const auto number = [&](int64_t index) { return numbers[static_cast<size_t>(index)]; };
    if (rank == 0)
      return false;
    if (rank == 2)
      return number(b * keys + key) <= 0;
    if (rank == 3)
      return number((b * queries + query) * keys + key) <= 0;
    return key >= number(b) || (static_cast<int64_t>(numbers.size()) == 2 * batch && key < number(batch + b));
  }
};

Result<std::optional<BroadcastMask>> biasOf(const OpContext &context, size_t index,
                                            const AttentionShape &shape) {
  if (!context.has(index))
    return std::optional<BroadcastMask>();
  if (context.input(index).rank() != 4 || context.input(index).dtype() != context.input(0).dtype())
    return context.invalid(
        fmt::format("the attention bias has type {} and shape {}, expected rank 4 and the type of "
                    "the queries",
                    nameOf(context.input(index).dtype()), showShape(context.input(index).shape())));
  TILERIG_TRY(BroadcastMask bias, BroadcastMask::read(context, index, shape, false));
  return std::optional(std::move(bias));
}

ScoreRules rulesOf(const FusedAttention &node, const IntegerMask &mask,
                   const std::optional<BroadcastMask> &addends) {
  return {.scale = node.scale,
          .fillBias =
              [&](int64_t batch, int64_t head, int64_t query, std::span<double> bias) {
                if (addends)
                  addends->addTo(bias, batch, head, query);
                for (int64_t key = 0; key < node.shape.keys; ++key) {
                  if (mask.isMasked(batch, query, key))
                    bias[static_cast<size_t>(key)] += node.filter;
                  if (node.isCausal && key > node.past + query)
                    bias[static_cast<size_t>(key)] = -INFINITY;
                }
              },
          .stage = ScoreStage::biased};
}

// Adds the part of a bias vector from `first` on to vectors of heads.
template <class T>
void addBias(HeadVectors<T> to, const T *bias, const AttentionShape &shape, int64_t rows, int64_t size) {
  for (int64_t batch = 0; batch < shape.batch; ++batch)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t head = 0; head < shape.heads; ++head)
        for (int64_t i = 0; i < size; ++i)
          to.at(batch, head, row)[i] += bias[head * size + i];
}

// --- MultiHeadAttention ---

namespace multi {

enum Input : size_t {
  query,
  key,
  value,
  bias,
  padding,
  attentionBias,
  pastKey,
  pastValue,
  pastLength,
  indirection
};

// The shapes of the inputs. Keys and values of rank 4 have their heads first, and no bias.
struct Node {
  FusedAttention attention;
  bool hasHeadsFirst;
  bool hasBias;
};

Status checkKinds(const OpContext &context) {
  if (context.input(query).rank() != 3 || !context.has(key) || !context.has(value))
    return context.notSupported("packed queries, keys and values are not supported",
                                "give query, key and value as three inputs, the query of rank 3");
  if (context.has(pastLength) || context.has(indirection))
    return context.notSupported("a shared buffer of past and present (inputs 8 and 9) is not supported",
                                "leave these inputs out");
  for (const size_t index : {key, value, bias, pastKey, pastValue})
    if (context.has(index) && context.input(index).dtype() != context.input(query).dtype())
      return context.invalid(fmt::format("input {} has type {}, but the query has type {}", index,
                                         nameOf(context.input(index).dtype()),
                                         nameOf(context.input(query).dtype())));
  return success();
}

Result<Node> nodeOf(const OpContext &context) {
  TILERIG_CHECK_OK(checkKinds(context));
  TILERIG_TRY(const int64_t heads, context.intAttribute("num_heads"));
  const Shape &q = context.input(query).shape(), &k = context.input(key).shape(),
              &v = context.input(value).shape();
  const auto misfit = [&] {
    return context.invalid(fmt::format("query {}, key {} and value {} do not match for {} heads",
                                       showShape(q), showShape(k), showShape(v), heads));
  };
  const bool isFirst = k.size() == 4;
  if (heads < 1 || q[2] % heads || (!isFirst && k.size() != 3) || v.size() != k.size())
    return misfit();
  AttentionShape shape{q[0], heads, heads, q[1], k[isFirst ? 2 : 1], q[2] / heads, 0};
  shape.valueSize = isFirst ? v[3] : v[2] / heads;
  if (isFirst && (k != Shape{q[0], heads, shape.keys, shape.headSize} ||
                  v != Shape{q[0], heads, shape.keys, shape.valueSize}))
    return misfit();
  if (!isFirst &&
      (k != Shape{q[0], shape.keys, q[2]} || v != Shape{q[0], shape.keys, shape.valueSize * heads}))
    return misfit();
  if (context.has(pastKey) != context.has(pastValue))
    return context.invalid("past_key and past_value must be given together");
  int64_t past = 0;
  if (context.has(pastKey)) {
    const Shape &oldKeys = context.input(pastKey).shape(), &oldValues = context.input(pastValue).shape();
    past = oldKeys.size() == 4 ? oldKeys[2] : 0;
    if (isFirst || oldKeys != Shape{q[0], heads, past, shape.headSize} ||
        oldValues != Shape{q[0], heads, past, shape.valueSize})
      return context.invalid(fmt::format("past_key {} and past_value {} do not match key and value",
                                         showShape(oldKeys), showShape(oldValues)));
    shape.keys += past;
  }
  const bool hasBias = context.has(bias);
  if (hasBias && context.input(bias).shape() != Shape{heads * (2 * shape.headSize + shape.valueSize)})
    return context.invalid(fmt::format("the bias has shape {}, expected [{}]",
                                       showShape(context.input(bias).shape()),
                                       heads * (2 * shape.headSize + shape.valueSize)));
  TILERIG_TRY(const FusedAttention attention, attributesOf(context, shape, past));
  return Node{attention, isFirst, hasBias};
}

// Keys or values, plus their bias, behind those of the cache.
template <class T>
Result<Tensor> joined(const OpContext &context, const Node &node, size_t index, size_t past,
                      int64_t biasOffset, int64_t size) {
  const AttentionShape &shape = node.attention.shape;
  const int64_t first = node.attention.past, rows = shape.keys - first;
  TILERIG_TRY(Tensor tensor, Tensor::makeUninitialised(context.input(index).dtype(),
                                                       {shape.batch, shape.heads, shape.keys, size}));
  const auto to = HeadVectors<T>::headsFirst(tensor.mutableAs<T>().data(), shape.heads, shape.keys, size);
  using From = HeadVectors<const T>;
  const T *const from = context.input(index).as<T>().data();
  if (first)
    copyHeads<T>(From::headsFirst(context.input(past).as<T>().data(), shape.heads, first, size), to,
                 shape.batch, shape.heads, first, size, 0);
  copyHeads<T>(node.hasHeadsFirst ? From::headsFirst(from, shape.heads, rows, size)
                                  : From::headsInside(from, shape.heads, rows, size),
               to, shape.batch, shape.heads, rows, size, first);
  if (node.hasBias && !node.hasHeadsFirst)
    addBias<T>({to.at(0, 0, first), to.batchStride, to.headStride, to.rowStride},
               context.input(bias).as<T>().data() + biasOffset, shape, rows, size);
  return tensor;
}

template <class T>
Status run(OpContext &context, const Node &node, const ScoreRules &rules) {
  const AttentionShape &shape = node.attention.shape;
  const int64_t hidden = shape.heads * shape.headSize;
  Tensor q = context.input(query);
  T *const queries = q.mutableAs<T>().data();
  if (node.hasBias)
    addBias<T>(HeadVectors<T>::headsInside(queries, shape.heads, shape.queries, shape.headSize),
               context.input(bias).as<T>().data(), shape, shape.queries, shape.headSize);
  TILERIG_TRY(Tensor k, joined<T>(context, node, key, pastKey, hidden, shape.headSize));
  TILERIG_TRY(Tensor v, joined<T>(context, node, value, pastValue, 2 * hidden, shape.valueSize));
  TILERIG_TRY(Tensor y, Tensor::makeUninitialised(
                            q.dtype(), {shape.batch, shape.queries, shape.heads * shape.valueSize}));
  std::optional<Tensor> scores;
  if (context.wants(3)) {
    TILERIG_TRY(scores,
                Tensor::makeUninitialised(q.dtype(), {shape.batch, shape.heads, shape.queries, shape.keys}));
  }
  using From = HeadVectors<const T>;
  attend<T>(shape, rules, From::headsInside(queries, shape.heads, shape.queries, shape.headSize),
            From::headsFirst(k.as<T>().data(), shape.heads, shape.keys, shape.headSize),
            From::headsFirst(v.as<T>().data(), shape.heads, shape.keys, shape.valueSize),
            HeadVectors<T>::headsInside(y.mutableAs<T>().data(), shape.heads, shape.queries, shape.valueSize),
            scores ? scores->mutableAs<T>().data() : nullptr, context.threads);
  context.outputs[0] = std::move(y);
  if (context.wants(1))
    context.outputs[1] = std::move(k);
  if (context.wants(2))
    context.outputs[2] = std::move(v);
  if (scores)
    context.outputs[3] = std::move(*scores);
  return success();
}

Status attention(OpContext &context) {
  TILERIG_TRY(const Node node, nodeOf(context));
  TILERIG_TRY(const IntegerMask mask, IntegerMask::read(context, padding, node.attention.shape, false));
  TILERIG_TRY(const std::optional<BroadcastMask> addends,
              biasOf(context, attentionBias, node.attention.shape));
  const ScoreRules rules = rulesOf(node.attention, mask, addends);
  return withFloats(context, [&]<class T>() { return run<T>(context, node, rules); });
}

} // namespace multi

// --- Attention with projection ---

namespace projected {

enum Input : size_t { input, weights, bias, mask, past, attentionBias, pastLength };

Result<FusedAttention> nodeOf(const OpContext &context) {
  TILERIG_TRY(const int64_t heads, context.intAttribute("num_heads"));
  TILERIG_TRY(const int64_t rotary, context.intAttribute("do_rotary", 0));
  TILERIG_TRY(const int64_t shares, context.intAttribute("past_present_share_buffer", 0));
  TILERIG_TRY(std::vector<int64_t> sizes, context.intsAttribute("qkv_hidden_sizes", std::vector<int64_t>{}));
  if (rotary != 0)
    return context.notSupported("attribute do_rotary is not supported",
                                "use RotaryEmbedding and MultiHeadAttention");
  if (shares != 0 || context.has(pastLength))
    return context.notSupported("a shared buffer of past and present is not supported",
                                "leave attribute past_present_share_buffer and input 6 out");
  for (const size_t index : {weights, bias, past})
    if (context.has(index) && context.input(index).dtype() != context.input(input).dtype())
      return context.invalid(fmt::format("input {} has type {}, but input 0 has type {}", index,
                                         nameOf(context.input(index).dtype()),
                                         nameOf(context.input(input).dtype())));
  const Shape &x = context.input(input).shape(), &w = context.input(weights).shape();
  if (x.size() != 3 || w.size() != 2 || x[2] != w[0])
    return context.invalid(fmt::format("the input of shape {} and the weights of shape {} do not match",
                                       showShape(x), showShape(w)));
  if (sizes.empty())
    sizes.assign(3, w[1] / 3);
  if (heads < 1 || sizes.size() != 3 || sizes[0] != sizes[1] || sizes[0] + sizes[1] + sizes[2] != w[1] ||
      sizes[0] < 1 || sizes[0] % heads || sizes[2] < 1 || sizes[2] % heads)
    return context.invalid(
        fmt::format("the weights of shape {} cannot be divided into queries, keys and values of {} "
                    "heads",
                    showShape(w), heads));
  if (context.has(bias) && context.input(bias).shape() != Shape{w[1]})
    return context.invalid(
        fmt::format("the bias has shape {}, expected [{}]", showShape(context.input(bias).shape()), w[1]));
  AttentionShape shape{x[0], heads, heads, x[1], x[1], sizes[0] / heads, sizes[2] / heads};
  int64_t length = 0;
  if (context.has(past)) {
    const Shape &old = context.input(past).shape();
    length = old.size() == 5 ? old[3] : 0;
    if (shape.headSize != shape.valueSize || old != Shape{2, x[0], heads, length, shape.headSize})
      return context.invalid(fmt::format("the past of shape {} does not match, expected [2, {}, {}, *, {}]",
                                         showShape(old), x[0], heads, shape.headSize));
    shape.keys += length;
  }
  if (context.wants(1) && shape.headSize != shape.valueSize)
    return context.notSupported("a present output for values of another size than keys is not supported");
  return attributesOf(context, shape, length);
}

// The projection x · weights + bias of a column to vectors of heads; sums are in double.
template <class T>
void project(const OpContext &context, int64_t column, int64_t size, int64_t heads, HeadVectors<T> to) {
  const Shape &x = context.input(input).shape();
  const int64_t width = context.input(weights).shape()[1];
  const T *const from = context.input(input).as<T>().data(), *const matrix =
                                                                 context.input(weights).as<T>().data();
  const T *const addends = context.has(bias) ? context.input(bias).as<T>().data() : nullptr;
  context.threads.forEach(x[0] * x[1], 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      for (int64_t i = 0; i < heads * size; ++i) {
        double sum = addends ? static_cast<double>(addends[column + i]) : 0;
        for (int64_t k = 0; k < x[2]; ++k)
          sum +=
              static_cast<double>(from[row * x[2] + k]) * static_cast<double>(matrix[k * width + column + i]);
        to.at(row / x[1], i / size, row % x[1])[i % size] = static_cast<T>(sum);
      }
  });
}

template <class T>
Status run(OpContext &context, const FusedAttention &node, const ScoreRules &rules) {
  const AttentionShape &shape = node.shape;
  const DType type = context.input(input).dtype();
  const int64_t hidden = shape.heads * shape.headSize;
  TILERIG_TRY(Tensor q, Tensor::make(type, {shape.batch, shape.heads, shape.queries, shape.headSize}));
  TILERIG_TRY(Tensor k, Tensor::make(type, {shape.batch, shape.heads, shape.keys, shape.headSize}));
  TILERIG_TRY(Tensor v, Tensor::make(type, {shape.batch, shape.heads, shape.keys, shape.valueSize}));
  TILERIG_TRY(Tensor y, Tensor::make(type, {shape.batch, shape.queries, shape.heads * shape.valueSize}));
  const auto first = [&](Tensor &tensor, int64_t rows, int64_t size) {
    return HeadVectors<T>::headsFirst(tensor.mutableAs<T>().data(), shape.heads, rows, size);
  };
  const auto behindPast = [&](HeadVectors<T> vectors, size_t half) {
    if (node.past) {
      const T *const old = context.input(past).as<T>().data() + half * context.input(past).elementCount() / 2;
      copyHeads<T>(HeadVectors<const T>::headsFirst(old, shape.heads, node.past, shape.headSize), vectors,
                   shape.batch, shape.heads, node.past, shape.headSize, 0);
    }
    return HeadVectors<T>{vectors.at(0, 0, node.past), vectors.batchStride, vectors.headStride,
                          vectors.rowStride};
  };
  project<T>(context, 0, shape.headSize, shape.heads, first(q, shape.queries, shape.headSize));
  project<T>(context, hidden, shape.headSize, shape.heads,
             behindPast(first(k, shape.keys, shape.headSize), 0));
  project<T>(context, 2 * hidden, shape.valueSize, shape.heads,
             behindPast(first(v, shape.keys, shape.valueSize), 1));
  using From = HeadVectors<const T>;
  attend<T>(shape, rules, From::headsFirst(q.as<T>().data(), shape.heads, shape.queries, shape.headSize),
            From::headsFirst(k.as<T>().data(), shape.heads, shape.keys, shape.headSize),
            From::headsFirst(v.as<T>().data(), shape.heads, shape.keys, shape.valueSize),
            HeadVectors<T>::headsInside(y.mutableAs<T>().data(), shape.heads, shape.queries, shape.valueSize),
            static_cast<T *>(nullptr), context.threads);
  context.outputs[0] = std::move(y);
  if (context.wants(1)) {
    TILERIG_TRY(Tensor present,
                Tensor::makeUninitialised(type, {2, shape.batch, shape.heads, shape.keys, shape.headSize}));
    const auto to = present.mutableAs<T>();
    std::ranges::copy(k.as<T>(), to.begin());
    std::ranges::copy(v.as<T>(), to.begin() + static_cast<ptrdiff_t>(k.elementCount()));
    context.outputs[1] = std::move(present);
  }
  return success();
}

Status attention(OpContext &context) {
  TILERIG_TRY(const FusedAttention node, nodeOf(context));
  TILERIG_TRY(const IntegerMask integers, IntegerMask::read(context, mask, node.shape, true));
  TILERIG_TRY(const std::optional<BroadcastMask> addends, biasOf(context, attentionBias, node.shape));
  const ScoreRules rules = rulesOf(node, integers, addends);
  return withFloats(context, [&]<class T>() { return run<T>(context, node, rules); });
}

} // namespace projected

} // namespace

std::span<const OpEntry> fusedAttentionOps() {
  static constexpr OpEntry entries[] = {
      {"Attention", 1, 2, 7, projected::attention, HalfFloats::widened, "com.microsoft"},
      {"MultiHeadAttention", 1, 1, 10, multi::attention, HalfFloats::widened, "com.microsoft"},
  };
  return entries;
}

} // namespace tilerig::reference
