// The operators Attention and TensorScatter of ONNX. Masks are applied after the soft cap, and a query that no key
// is allowed for has the result zero.
#include "reference/Ops/AttentionCore.h"
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"

#include <cstring>
#include <optional>

namespace tilerig::reference {

namespace {

// The numbers of the inputs and outputs of Attention.
enum AttentionInput : size_t { queries, keys, values, mask, pastKeys, pastValues, validKeys };
enum AttentionOutput : size_t { result, presentKeys, presentValues, scores };

struct AttentionNode {
  AttentionShape shape;
  int64_t past = 0; // keys of the cache, which precede the others
  bool headsInside; // whether queries, keys and values have the shape batch × length × (heads · size)
  ScoreStage stage = ScoreStage::product;
  double scale, softcap;
  bool isCausal;
  int64_t leftWindow, rightWindow; // -1: unbounded
};

struct HeadTensor {
  int64_t batch, heads, rows, size;
};

Result<HeadTensor> headsOf(const OpContext &context, size_t index, std::string_view attribute) {
  const Shape &shape = context.input(index).shape();
  if (shape.size() == 4)
    return HeadTensor{shape[0], shape[1], shape[2], shape[3]};
  if (shape.size() != 3)
    return context.invalid(
        fmt::format("input {} has shape {}, expected rank 3 or 4", index, showShape(shape)));
  TILERIG_TRY(const int64_t heads, context.intAttribute(attribute));
  if (heads < 1 || shape[2] % heads)
    return context.invalid(fmt::format("input {} of shape {} cannot be divided into {} heads (attribute {})",
                                       index, showShape(shape), heads, attribute));
  return HeadTensor{shape[0], heads, shape[1], shape[2] / heads};
}

Status checkPast(const OpContext &context, AttentionNode &node) {
  if (context.has(pastKeys) != context.has(pastValues))
    return context.invalid("past_key and past_value must be given together");
  if (!context.has(pastKeys))
    return success();
  if (context.has(validKeys))
    return context.invalid("nonpad_kv_seqlen must not be given together with past_key and past_value");
  const AttentionShape &shape = node.shape;
  const Shape &key = context.input(pastKeys).shape(), &value = context.input(pastValues).shape();
  node.past = key.size() == 4 ? key[2] : 0;
  if (key != Shape{shape.batch, shape.keyHeads, node.past, shape.headSize} ||
      value != Shape{shape.batch, shape.keyHeads, node.past, shape.valueSize})
    return context.invalid(
        fmt::format("past_key of shape {} and past_value of shape {} do not match keys and values",
                    showShape(key), showShape(value)));
  node.shape.keys += node.past;
  return success();
}

Result<AttentionNode> nodeOf(const OpContext &context) {
  for (const size_t index : {keys, values, pastKeys, pastValues})
    if (context.has(index) && context.input(index).dtype() != context.input(queries).dtype())
      return context.notSupported(fmt::format("input {} has type {}, but the queries have type {}", index,
                                              nameOf(context.input(index).dtype()),
                                              nameOf(context.input(queries).dtype())),
                                  "cast queries, keys and values to one type");
  TILERIG_TRY(const HeadTensor q, headsOf(context, queries, "q_num_heads"));
  TILERIG_TRY(const HeadTensor k, headsOf(context, keys, "kv_num_heads"));
  TILERIG_TRY(const HeadTensor v, headsOf(context, values, "kv_num_heads"));
  const size_t rank = context.input(queries).rank();
  if (context.input(keys).rank() != rank || context.input(values).rank() != rank || k.batch != q.batch ||
      v.batch != q.batch || k.heads != v.heads || k.rows != v.rows || k.size != q.size || k.heads < 1 ||
      q.heads % k.heads)
    return context.invalid(fmt::format(
        "queries {}, keys {} and values {} do not match", showShape(context.input(queries).shape()),
        showShape(context.input(keys).shape()), showShape(context.input(values).shape())));
  TILERIG_TRY(
      const float scale,
      context.floatAttribute("scale", static_cast<float>(1 / std::sqrt(static_cast<double>(q.size)))));
  TILERIG_TRY(const float softcap, context.floatAttribute("softcap", 0.0f));
  TILERIG_TRY(const int64_t causal, context.intAttribute("is_causal", 0));
  TILERIG_TRY(const int64_t mode, context.intAttribute("qk_matmul_output_mode", 0));
  TILERIG_TRY(const int64_t left, context.intAttribute("left_window_size", -1));
  TILERIG_TRY(const int64_t right, context.intAttribute("right_window_size", -1));
  if (mode < 0 || mode > 3)
    return context.invalid(fmt::format("attribute qk_matmul_output_mode is {}, expected 0 to 3", mode));
  if (left < -1 || right < -1)
    return context.invalid("left_window_size and right_window_size must be -1 or not negative");
  AttentionNode node{{q.batch, q.heads, k.heads, q.rows, k.rows, q.size, v.size},
                     0,
                     rank == 3,
                     static_cast<ScoreStage>(mode),
                     context.hasAttribute("scale") ? static_cast<double>(scale)
                                                   : 1 / std::sqrt(static_cast<double>(q.size)),
                     static_cast<double>(softcap),
                     causal != 0,
                     left,
                     right};
  TILERIG_CHECK_OK(checkPast(context, node));
  return node;
}

// Which keys a query may attend to by its position: causality, windows, and the number of valid keys.
struct KeyPositions {
  AttentionNode node;
  std::vector<int64_t> valid; // for each element of the batch, the number of valid keys; empty: all

  void restrict(std::span<double> bias, int64_t batch, int64_t query) const {
    const int64_t count = valid.empty() ? node.shape.keys : valid[static_cast<size_t>(batch)];
    const int64_t place = query + (valid.empty() ? node.past : count - node.shape.queries);
    for (int64_t key = 0; key < node.shape.keys; ++key) {
      const bool isAllowed = key < count && !(node.isCausal && key > place) &&
                             !(node.leftWindow >= 0 && key < place - node.leftWindow) &&
                             !(node.rightWindow >= 0 && key > place + node.rightWindow);
      if (!isAllowed)
        bias[static_cast<size_t>(key)] = -INFINITY;
    }
  }
};

Result<KeyPositions> positionsOf(const OpContext &context, const AttentionNode &node) {
  KeyPositions positions{node, {}};
  if (!context.has(validKeys))
    return positions;
  TILERIG_TRY(positions.valid, context.integers(validKeys));
  if (context.input(validKeys).shape() != Shape{node.shape.batch})
    return context.invalid(fmt::format("nonpad_kv_seqlen has shape {}, expected [{}]",
                                       showShape(context.input(validKeys).shape()), node.shape.batch));
  for (const int64_t count : positions.valid)
    if (count < 0 || count > node.shape.keys)
      return context.invalid(
          fmt::format("nonpad_kv_seqlen contains {}, but there are {} keys", count, node.shape.keys));
  return positions;
}

// Keys or values with those of the cache in front, as a tensor of the shape batch × heads × length × size.
template <class T>
Result<Tensor> joinedWithPast(const OpContext &context, size_t index, size_t past, const AttentionNode &node,
                              int64_t size) {
  const AttentionShape &shape = node.shape;
  const int64_t rows = shape.keys - node.past;
  TILERIG_TRY(Tensor joined, Tensor::makeUninitialised(context.input(index).dtype(),
                                                       {shape.batch, shape.keyHeads, shape.keys, size}));
  const auto to = HeadVectors<T>::headsFirst(joined.mutableAs<T>().data(), shape.keyHeads, shape.keys, size);
  using From = HeadVectors<const T>;
  const T *const from = context.input(index).as<T>().data();
  if (node.past)
    copyHeads<T>(From::headsFirst(context.input(past).as<T>().data(), shape.keyHeads, node.past, size), to,
                 shape.batch, shape.keyHeads, node.past, size, 0);
  copyHeads<T>(node.headsInside ? From::headsInside(from, shape.keyHeads, rows, size)
                                : From::headsFirst(from, shape.keyHeads, rows, size),
               to, shape.batch, shape.keyHeads, rows, size, node.past);
  return joined;
}

template <class T>
Status runAttention(OpContext &context, const AttentionNode &node, const ScoreRules &rules) {
  const AttentionShape &shape = node.shape;
  const DType type = context.input(queries).dtype();
  TILERIG_TRY(Tensor allKeys, joinedWithPast<T>(context, keys, pastKeys, node, shape.headSize));
  TILERIG_TRY(Tensor allValues, joinedWithPast<T>(context, values, pastValues, node, shape.valueSize));
  Shape resultShape{shape.batch, shape.heads, shape.queries, shape.valueSize};
  if (node.headsInside)
    resultShape = {shape.batch, shape.queries, shape.heads * shape.valueSize};
  TILERIG_TRY(Tensor y, Tensor::makeUninitialised(type, resultShape));
  std::optional<Tensor> stored;
  if (context.wants(scores)) {
    TILERIG_TRY(stored,
                Tensor::makeUninitialised(type, {shape.batch, shape.heads, shape.queries, shape.keys}));
  }
  const auto inside = node.headsInside;
  const T *const q = context.input(queries).as<T>().data();
  T *const to = y.mutableAs<T>().data();
  attend<T>(
      shape, rules,
      inside ? HeadVectors<const T>::headsInside(q, shape.heads, shape.queries, shape.headSize)
             : HeadVectors<const T>::headsFirst(q, shape.heads, shape.queries, shape.headSize),
      HeadVectors<const T>::headsFirst(allKeys.as<T>().data(), shape.keyHeads, shape.keys, shape.headSize),
      HeadVectors<const T>::headsFirst(allValues.as<T>().data(), shape.keyHeads, shape.keys, shape.valueSize),
      inside ? HeadVectors<T>::headsInside(to, shape.heads, shape.queries, shape.valueSize)
             : HeadVectors<T>::headsFirst(to, shape.heads, shape.queries, shape.valueSize),
      stored ? stored->mutableAs<T>().data() : nullptr, context.threads);
  context.outputs[result] = std::move(y);
  if (context.wants(presentKeys))
    context.outputs[presentKeys] = std::move(allKeys);
  if (context.wants(presentValues))
    context.outputs[presentValues] = std::move(allValues);
  if (stored)
    context.outputs[scores] = std::move(*stored);
  return success();
}

Status attention(OpContext &context) {
  TILERIG_TRY(const AttentionNode node, nodeOf(context));
  TILERIG_TRY(const KeyPositions positions, positionsOf(context, node));
  std::optional<BroadcastMask> addends;
  if (context.has(mask)) {
    TILERIG_TRY(addends, BroadcastMask::read(context, mask, node.shape, context.opset() >= 24));
  }
  const ScoreRules rules{.scale = node.scale,
                         .softcap = node.softcap,
                         .fillBias =
                             [&](int64_t batch, int64_t head, int64_t query, std::span<double> bias) {
                               if (addends)
                                 addends->addTo(bias, batch, head, query);
                               positions.restrict(bias, batch, query);
                             },
                         .stage = node.stage};
  return withFloats(context, [&]<class T>() { return runAttention<T>(context, node, rules); });
}

// The operator TensorScatter: a copy of a cache in which each element of the batch is overwritten from its write
// index on, along one axis; in the mode "circular" indices wrap around.
Status tensorScatter(OpContext &context) {
  const Shape shape = context.input(0).shape(), update = context.input(1).shape();
  TILERIG_TRY(const std::string mode, context.textAttribute("mode", "linear"));
  TILERIG_TRY(const int64_t rawAxis, context.intAttribute("axis", -2));
  TILERIG_TRY(const size_t axis, context.axis(rawAxis, shape.size()));
  if (mode != "linear" && mode != "circular")
    return context.invalid(fmt::format("attribute mode is '{}', expected 'linear' or 'circular'", mode));
  if (axis == 0)
    return context.invalid("attribute axis names the first axis, which is the batch");
  if (context.input(0).dtype() != context.input(1).dtype())
    return context.invalid("cache and update must have the same type");
  Shape expected = shape;
  expected[axis] = axis < update.size() ? update[axis] : 0;
  if (update != expected || update[axis] > shape[axis])
    return context.invalid(
        fmt::format("the update of shape {} does not fit into the cache of shape {} along axis {}",
                    showShape(update), showShape(shape), axis));
  std::vector<int64_t> first(static_cast<size_t>(shape[0]), 0);
  if (context.has(2)) {
    TILERIG_TRY(first, context.integers(2));
    if (context.input(2).shape() != Shape{shape[0]})
      return context.invalid(fmt::format("write_indices has shape {}, expected [{}]",
                                         showShape(context.input(2).shape()), shape[0]));
  }
  const int64_t most = mode == "linear" ? shape[axis] - update[axis] : shape[axis] - 1;
  for (const int64_t index : first)
    if (index < 0 || index > std::max<int64_t>(most, 0))
      return context.invalid(fmt::format("write_indices contains {}, but must be from 0 to {}", index, most));
  const Tensor source = context.input(1);
  Tensor cache = context.take(0);
  const AxisSplit split(source.shape(), axis);
  const int64_t outerPerBatch = shape[0] ? split.outer / shape[0] : 0, length = cache.shape()[axis];
  const size_t run = static_cast<size_t>(split.inner) * tilerig::sizeBytes(cache.dtype());
  const std::byte *from = source.bytes().data();
  std::byte *to = cache.mutableBytes().data();
  for (int64_t outer = 0; run && outer < split.outer; ++outer)
    for (int64_t i = 0; i < split.size; ++i, from += run) {
      const int64_t index = (first[static_cast<size_t>(outer / outerPerBatch)] + i) % length;
      std::memcpy(to + static_cast<size_t>(outer * length + index) * run, from, run);
    }
  context.outputs[0] = std::move(cache);
  return success();
}

} // namespace

std::span<const OpEntry> attentionOps() {
  static constexpr OpEntry entries[] = {
      {"Attention", 23, 3, 7, attention},
      {"TensorScatter", 24, 2, 3, tensorScatter, HalfFloats::native},
  };
  return entries;
}

} // namespace tilerig::reference
