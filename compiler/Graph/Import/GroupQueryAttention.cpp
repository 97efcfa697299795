// Import of ONNX Runtime's GroupQueryAttention. It is composed if the lengths of the sequences are constants, or if
// there is no cache in front of them; else the framework runs it.
#include "compiler/Graph/Import/AttentionComposition.h"
#include "compiler/Graph/Import/Rotary.h"

#include <cmath>
#include <fmt/core.h>
#include <llvm/ADT/Sequence.h>
#include <optional>

namespace tilerig::compiler {

namespace {

using namespace graph;

enum GroupOperand : size_t {
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
  int64_t total = 0;    // largest number of tokens of a sequence, with those of the cache
  bool isPrompt = false;
  std::optional<Ints>
      ends; // for each element of the batch the number of its tokens; none if it is not constant
  int64_t window = -1;
  bool isCausal = true;

  // The tokens of a sequence that the cache has already.
  int64_t cached(int64_t batch) const {
    return isPrompt ? 0 : (*ends)[static_cast<size_t>(batch)] - shape.queries;
  }
  bool hasEqualLengths() const { return isPrompt || llvm::all_equal(*ends); }
};

Status checkGroupedForm(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1, 16));
  if (!node.has(lastKeys) || !node.has(totalLength))
    return node.refuse("seqlens_k (input 5) and total_sequence_length (input 6) must be given");
  for (const std::string_view attribute : {"qk_output", "sliding_window_cache"})
    if (node.integer(attribute, 0) != 0)
      return node.unsupportedHere(fmt::format("attribute '{}' is not supported", attribute));
  for (const std::string_view attribute : {"k_quant_type", "v_quant_type"})
    if (node.text(attribute, "NONE") != "NONE")
      return node.unsupportedHere(fmt::format("attribute '{}' is not supported", attribute));
  for (size_t operand = sink + 1; operand < node.inputs().size(); ++operand)
    if (node.has(operand))
      return node.unsupportedHere(fmt::format("input {} is not supported", operand));
  for (const size_t operand : {key, value, pastKey, pastValue, cosines, sines, attentionBias, sink})
    if (node.has(operand) && node.elementType(operand) != node.elementType(query))
      return node.refuse(fmt::format("inputs 0 and {} have different element types", operand));
  if (node.has(key) != node.has(value) || node.has(pastKey) != node.has(pastValue))
    return node.refuse("key and value, and past_key and past_value, must be given together");
  return success();
}

Result<AttentionShape> groupedHeads(const NodeReader &node) {
  TILERIG_TRY(const int64_t heads, node.neededInteger("num_heads"));
  TILERIG_TRY(const int64_t keyHeads, node.neededInteger("kv_num_heads"));
  const auto q = node.shape(query);
  if (heads < 1 || keyHeads < 1 || heads % keyHeads != 0 || q.size() != 3)
    return node.refuse(
        fmt::format("the query has shape {}, num_heads is {} and kv_num_heads {}; expected rank 3 and a "
                    "multiple of kv_num_heads",
                    text(q), heads, keyHeads));
  const int64_t parts = node.has(key) ? heads : heads + 2 * keyHeads;
  const AttentionShape shape{q[0], heads, keyHeads, q[1], 0, q[2] / parts, q[2] / parts};
  const Ints expected = {q[0], q[1], keyHeads * shape.headSize};
  if (q[2] % parts != 0 || (node.has(key) && (node.shape(key) != llvm::ArrayRef(expected) ||
                                              node.shape(value) != llvm::ArrayRef(expected))))
    return node.refuse(fmt::format("query {} does not match key and value of {} heads", text(q), keyHeads));
  return shape;
}

// Reads how long the caches and the sequences are; lengths that are not constant are not supported with a cache.
Status readLengths(const NodeReader &node, GroupedNode &result) {
  AttentionShape &shape = result.shape;
  if (node.has(pastKey)) {
    const auto old = node.shape(pastKey);
    result.past = old.size() == 4 ? old[2] : 0;
    if (old != llvm::ArrayRef(Ints{shape.batch, shape.keyHeads, result.past, shape.headSize}) ||
        node.shape(pastValue) != old)
      return node.refuse(fmt::format("past_key {} and past_value {} do not match the keys", text(old),
                                     text(node.shape(pastValue))));
  }
  result.total = shape.queries;
  const auto total = node.constantInts(totalLength, "total_sequence_length");
  if (!total && result.past > 0)
    return total.error();
  if (total && total->size() == 1)
    result.total = total->front();
  result.isPrompt = result.total == shape.queries;
  shape.keys = std::max(result.past, result.total);
  const auto last = node.constantInts(lastKeys, "seqlens_k");
  if (!last && !result.isPrompt)
    return last.error();
  if (tensorType(node.input(lastKeys)).getNumElements() != shape.batch)
    return node.refuse(fmt::format("seqlens_k must have {} elements, one for each sequence", shape.batch));
  if (!last)
    return success();
  result.ends = *last;
  const int64_t least = result.isPrompt ? 1 : shape.queries;
  for (int64_t &end : *result.ends)
    if (++end < least || end > result.total || (!result.isPrompt && end - shape.queries > result.past))
      return node.refuse(
          fmt::format("seqlens_k contains {}, which does not match {} new tokens, {} tokens in all and a "
                      "cache of {}",
                      end - 1, shape.queries, result.total, result.past));
  return success();
}

Result<GroupedNode> groupedNodeOf(const NodeReader &node) {
  TILERIG_CHECK_OK(checkGroupedForm(node));
  GroupedNode result;
  TILERIG_TRY(result.shape, groupedHeads(node));
  result.window = node.integer("local_window_size", -1);
  result.isCausal = node.integer("causal", 1) != 0;
  if (result.window != -1 && (result.window < 1 || !result.isCausal))
    return node.refuse("local_window_size must be -1, or positive with causal = 1");
  if (node.has(sink) && node.shape(sink) != llvm::ArrayRef(result.shape.heads))
    return node.refuse(
        fmt::format("head_sink has shape {}, expected [{}]", text(node.shape(sink)), result.shape.heads));
  TILERIG_CHECK_OK(readLengths(node, result));
  return result;
}

// The tables of cosines and sines for all tokens, of the shape batch (or 1) × 1 × queries × pairs.
struct Angles {
  mlir::Value cosines, sines;
  int64_t pairs = 0;
};

Result<Angles> anglesOf(const NodeReader &node, const GroupedNode &from, Composition &to) {
  const AttentionShape &shape = from.shape;
  if (node.integer("do_rotary", 0) == 0)
    return Angles{};
  if (!node.has(cosines) || !node.has(sines))
    return node.refuse("do_rotary needs cos_cache and sin_cache (inputs 7 and 8)");
  const auto table = node.shape(cosines);
  if (table.size() != 2 || table != node.shape(sines) || 2 * table[1] > shape.headSize)
    return node.refuse(
        fmt::format("cos_cache has shape {}, expected a matrix of at most {} columns, and sin_cache the "
                    "same",
                    text(table), shape.headSize / 2));
  mlir::Value rows;
  int64_t batch = shape.batch;
  if (node.has(positions)) {
    if (node.shape(positions) != llvm::ArrayRef(Ints{shape.batch, shape.queries}))
      return node.refuse(fmt::format("position_ids has shape {}, expected {}x{}", text(node.shape(positions)),
                                     shape.batch, shape.queries));
    rows = node.input(positions);
    if (from.isPrompt) {
      // A prompt uses only the first position and counts from there.
      batch = 1;
      const mlir::Value first = to.slice(to.slice(rows, 0, 0, 1), 1, 0, 1);
      const mlir::Value steps =
          to.integers(llvm::to_vector(llvm::seq<int64_t>(0, shape.queries)), {1, shape.queries});
      rows = to.add(first, first ? to.cast(steps, elementOf(first)) : nullptr);
    }
  } else {
    Ints numbers;
    batch = from.hasEqualLengths() ? 1 : shape.batch;
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t i = 0; i < shape.queries; ++i) {
        numbers.push_back(from.cached(b) + i);
        if (numbers.back() >= table[0])
          return node.refuse(
              fmt::format("position {} exceeds the {} rows of cos_cache", numbers.back(), table[0]));
      }
    rows = to.integers(numbers, {batch, shape.queries});
  }
  const auto gathered = [&](size_t operand) {
    return to.reshape(to.gather(node.input(operand), rows, 0), {batch, 1, shape.queries, table[1]});
  };
  return Angles{gathered(cosines), gathered(sines), table[1]};
}

// New keys or values behind those of the cache, and zeros behind them up to the length of the new cache.
mlir::Value cacheWith(const NodeReader &node, const GroupedNode &from, size_t past, mlir::Value added,
                      Composition &to) {
  const AttentionShape &shape = from.shape;
  if (!added)
    return nullptr;
  const auto joined = [&](int64_t begin, int64_t end) {
    const auto part = [&](mlir::Value x) { return to.slice(x, 0, begin, end); };
    const int64_t cached = from.cached(begin), rest = shape.keys - cached - shape.queries;
    Values parts;
    if (cached > 0)
      parts.push_back(to.slice(part(node.input(past)), 2, 0, cached));
    parts.push_back(part(added));
    if (rest > 0)
      parts.push_back(to.expand(to.constant({0}, {1, 1, 1, 1}, elementOf(added)),
                                {end - begin, shape.keyHeads, rest, shape.headSize}));
    return to.concat(parts, 2);
  };
  if (from.hasEqualLengths())
    return joined(0, shape.batch);
  Values rows;
  for (int64_t b = 0; b < shape.batch; ++b)
    rows.push_back(joined(b, b + 1));
  return to.concat(rows, 0);
}

// The keys that queries attend to: by causality and the window, and up to the ends of the sequences.
void addChoices(const NodeReader &node, const GroupedNode &from, Composition &to,
                AttentionOperands &operands) {
  const AttentionShape &shape = from.shape;
  const int64_t batches = from.ends && !llvm::all_equal(*from.ends) ? shape.batch : 1;
  llvm::SmallVector<bool> allowed;
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t i = 0; i < shape.queries; ++i) {
      const int64_t place = from.cached(b) + i;
      bool isEmpty = true;
      for (int64_t j = 0; j < shape.keys; ++j) {
        allowed.push_back(!(from.isCausal && j > place) && !(from.window > 0 && j <= place - from.window) &&
                          j < (from.ends ? (*from.ends)[static_cast<size_t>(b)] : from.total));
        isEmpty &= !allowed.back();
      }
      operands.choiceMayBeEmpty |= isEmpty;
    }
  if (llvm::is_contained(allowed, false))
    addChoice(to, operands, to.booleans(allowed, {batches, 1, shape.queries, shape.keys}));
  if (from.ends)
    return;
  const mlir::Value last = to.reshape(node.input(lastKeys), {shape.batch, 1, 1, 1});
  const mlir::Value places =
      to.integers(llvm::to_vector(llvm::seq<int64_t>(0, shape.keys)), {1, 1, 1, shape.keys});
  const mlir::Value numbers = last ? to.cast(places, elementOf(last)) : nullptr;
  addChoice(to, operands, numbers ? to.make<LessOrEqualOp>(numbers, last) : nullptr);
  operands.choiceMayBeEmpty = true;
}

// Adds the attention bias, which has a column for each token; the cache may be longer.
Status addBias(const NodeReader &node, const GroupedNode &from, Composition &to,
               AttentionOperands &operands) {
  if (!node.has(attentionBias))
    return success();
  const Ints own(node.shape(attentionBias)), full = from.shape.scores();
  if (own.size() != 4 || (own[0] != 1 && own[0] != full[0]) || (own[1] != 1 && own[1] != full[1]) ||
      own[2] != full[2] || (own[3] != from.total && own[3] != full[3]))
    return node.refuse(
        fmt::format("the attention bias of shape {} does not match {}", text(own), text(full)));
  mlir::Value mask = node.input(attentionBias);
  if (own[3] < full[3]) {
    Ints rest = own;
    rest[3] = full[3] - own[3];
    mask = to.concat({mask, to.expand(to.constant({0}, {1, 1, 1, 1}, elementOf(mask)), rest)}, 3);
  }
  operands.maskMayBeEmpty |= mayExclude(node.input(attentionBias));
  addMask(to, operands, mask);
  return success();
}

ImportedValues groupQueryAttention(const NodeReader &node) {
  TILERIG_TRY(const GroupedNode from, groupedNodeOf(node));
  const AttentionShape &shape = from.shape;
  const mlir::Type element = node.elementType(query);
  const int64_t size = shape.headSize;
  Composition to(node);
  TILERIG_TRY(const Angles angles, anglesOf(node, from, to));
  const bool interleaved = node.integer("rotary_interleaved", 0) != 0;
  const auto part = [&](size_t operand, int64_t firstHead, int64_t heads) {
    const mlir::Value x = node.has(key)
                              ? node.input(operand)
                              : to.slice(node.input(query), 2, firstHead * size, (firstHead + heads) * size);
    return headsFirst(to, x, heads);
  };
  const auto rotated = [&](mlir::Value x) {
    return rotatePairs(to, x, angles.cosines, angles.sines, angles.pairs, interleaved);
  };
  AttentionOperands operands;
  operands.q = rotated(part(query, 0, shape.heads));
  operands.k = cacheWith(node, from, pastKey, rotated(part(key, shape.heads, shape.keyHeads)), to);
  operands.v =
      cacheWith(node, from, pastValue, part(value, shape.heads + shape.keyHeads, shape.keyHeads), to);
  const float scale = node.real("scale", 0);
  operands.scale = scale != 0 ? static_cast<double>(scale) : 1 / std::sqrt(static_cast<double>(size));
  operands.softcap = static_cast<double>(node.real("softcap", 0));
  if (node.has(sink))
    operands.sink = to.reshape(node.input(sink), {1, shape.heads, 1, 1});
  else if (node.integer("smooth_softmax", 0) == 1)
    operands.sink = to.expand(to.constant({0}, {1, 1, 1, 1}, element), {1, shape.heads, 1, 1});
  TILERIG_CHECK_OK(addBias(node, from, to, operands));
  addChoices(node, from, to, operands);
  const AttentionResults results = composeAttention(to, shape, operands, std::nullopt);
  Values all = {headsInside(to, results.y), operands.k, operands.v};
  all.resize(std::min(all.size(), node.numOutputs()));
  return to.results(all);
}

} // namespace

void addGroupQueryAttention(ImporterTable &table) {
  table.emplace("com.microsoft.GroupQueryAttention", groupQueryAttention);
}

} // namespace tilerig::compiler
