// Import of ONNX Runtime's operators Attention, which includes the projection of its input, and MultiHeadAttention.
#include "compiler/Graph/Import/AttentionComposition.h"

#include <cmath>
#include <fmt/core.h>
#include <llvm/ADT/Sequence.h>
#include <optional>

namespace tilerig::compiler {

namespace {

using namespace graph;

// Refuses a node if one of these operands is present and has another element type than the first operand.
Status needsOneType(const NodeReader &node, std::initializer_list<size_t> operands) {
  for (const size_t operand : operands)
    if (node.has(operand) && node.elementType(operand) != node.elementType(0))
      return node.refuse(fmt::format("inputs 0 and {} have different element types", operand));
  return success();
}

// A boolean tensor of rank 4 that is true where a mask of integers keeps a key: it has a number for each key, a
// matrix for each element of the batch, or the ends (and then the starts) of the valid keys.
Result<mlir::Value> kept(const NodeReader &node, size_t operand, const AttentionShape &shape,
                         bool mayHaveStarts, Composition &to) {
  const mlir::Value mask = node.input(operand);
  const Ints own(node.shape(operand));
  if (!llvm::isa<mlir::IntegerType>(node.elementType(operand)))
    return node.refuse("the mask is not a tensor of integers");
  if (own == Ints{shape.batch, shape.keys} || own == Ints{shape.batch, shape.queries, shape.keys}) {
    const mlir::Value numbers =
        to.reshape(mask, {shape.batch, 1, own.size() == 2 ? 1 : shape.queries, shape.keys});
    const mlir::Value zero = to.cast(to.integers({0}, {}), elementOf(mask));
    return numbers && zero ? to.make<GreaterOp>(numbers, zero) : mlir::Value();
  }
  if (own != Ints{shape.batch} && !(mayHaveStarts && own == Ints{2 * shape.batch}))
    return node.unsupportedHere(
        fmt::format("a mask of shape {} is not supported for {} sequences of {} queries and {} keys",
                    text(own), shape.batch, shape.queries, shape.keys));
  const mlir::Value places =
      to.cast(to.integers(llvm::to_vector(llvm::seq<int64_t>(0, shape.keys)), {1, 1, 1, shape.keys}),
              elementOf(mask));
  const auto bounds = [&](int64_t first) {
    return to.reshape(to.slice(mask, 0, first, first + shape.batch), {shape.batch, 1, 1, 1});
  };
  const mlir::Value ends = bounds(0);
  mlir::Value inside = places && ends ? to.make<LessOp>(places, ends) : nullptr;
  if (own[0] == shape.batch)
    return inside;
  const mlir::Value starts = bounds(shape.batch);
  const mlir::Value behind = starts ? to.make<GreaterOrEqualOp>(places, starts) : nullptr;
  return inside && behind ? to.make<AndOp>(inside, behind) : mlir::Value();
}

// Reads what both operators have in common: scale, masks and causality. `past`: keys of the cache.
Status readRules(const NodeReader &node, const AttentionShape &shape, int64_t past, size_t mask, size_t bias,
                 bool mayHaveStarts, Composition &to, AttentionOperands &operands) {
  const float scale = node.real("scale", 0);
  operands.scale =
      scale != 0 ? static_cast<double>(scale) : 1 / std::sqrt(static_cast<double>(shape.headSize));
  const mlir::Type element = node.elementType(0);
  if (node.has(bias)) {
    const auto own = node.shape(bias);
    const Ints full = shape.scores();
    bool fits = own.size() == 4 && node.elementType(bias) == element;
    for (size_t axis = 0; fits && axis < 4; ++axis)
      fits = own[axis] == full[axis] || own[axis] == 1;
    if (!fits)
      return node.refuse(
          fmt::format("the attention bias of shape {} cannot be broadcast to {}, or has another type "
                      "than the queries",
                      text(own), text(full)));
    operands.maskMayBeEmpty |= mayExclude(node.input(bias));
    addMask(to, operands, node.input(bias));
  }
  if (node.has(mask)) {
    TILERIG_TRY(const mlir::Value isKept, kept(node, mask, shape, mayHaveStarts, to));
    const double filter = static_cast<double>(node.real("mask_filter_value", -10000.0f));
    addMask(to, operands, to.where(isKept, to.number(0, element), to.number(filter, element)));
  }
  if (node.integer("unidirectional", 0) == 0)
    return success();
  if (shape.queries != shape.keys - past)
    return node.unsupportedHere(
        fmt::format("attribute 'unidirectional' is not supported for {} queries and {} keys", shape.queries,
                    shape.keys - past));
  addChoice(to, operands,
            positionChoice(to, shape, operands.choiceMayBeEmpty,
                           [&](int64_t query, int64_t key) { return key <= query + past; }));
  return success();
}

// --- MultiHeadAttention ---

namespace multi {

enum Operand : size_t {
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

struct Node {
  AttentionShape shape;
  int64_t past = 0;
  bool hasHeadsFirst; // whether keys and values have rank 4, with their heads first and without bias
};

Result<Node> nodeOf(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1, 10));
  if (node.rank(query) != 3 || !node.has(key) || !node.has(value))
    return node.unsupportedHere("packed queries, keys and values are not supported");
  if (node.has(pastLength) || node.has(indirection))
    return node.unsupportedHere("a shared buffer of past and present (inputs 8 and 9) is not supported");
  TILERIG_CHECK_OK(needsOneType(node, {key, value, bias, pastKey, pastValue}));
  TILERIG_TRY(const int64_t heads, node.neededInteger("num_heads"));
  const auto q = node.shape(query), k = node.shape(key), v = node.shape(value);
  const bool isFirst = k.size() == 4;
  const auto misfit = [&] {
    return node.refuse(fmt::format("query {}, key {} and value {} do not match for {} heads", text(q),
                                   text(k), text(v), heads));
  };
  if (heads < 1 || q[2] % heads != 0 || (!isFirst && k.size() != 3) || v.size() != k.size())
    return misfit();
  Node result{{q[0], heads, heads, q[1], k[isFirst ? 2 : 1], q[2] / heads, isFirst ? v[3] : v[2] / heads},
              0,
              isFirst};
  AttentionShape &shape = result.shape;
  const Ints keysExpected =
      isFirst ? Ints{q[0], heads, shape.keys, shape.headSize} : Ints{q[0], shape.keys, q[2]};
  const Ints valuesExpected = isFirst ? Ints{q[0], heads, shape.keys, shape.valueSize}
                                      : Ints{q[0], shape.keys, shape.valueSize * heads};
  if (k != llvm::ArrayRef(keysExpected) || v != llvm::ArrayRef(valuesExpected))
    return misfit();
  const int64_t width = heads * (2 * shape.headSize + shape.valueSize);
  if (node.has(bias) && node.shape(bias) != llvm::ArrayRef(width))
    return node.refuse(fmt::format("the bias has shape {}, expected [{}]", text(node.shape(bias)), width));
  if (node.has(pastKey) != node.has(pastValue))
    return node.refuse("past_key and past_value must be given together");
  if (!node.has(pastKey))
    return result;
  const auto oldKeys = node.shape(pastKey), oldValues = node.shape(pastValue);
  result.past = oldKeys.size() == 4 ? oldKeys[2] : 0;
  if (isFirst || oldKeys != llvm::ArrayRef(Ints{q[0], heads, result.past, shape.headSize}) ||
      oldValues != llvm::ArrayRef(Ints{q[0], heads, result.past, shape.valueSize}))
    return node.refuse(fmt::format("past_key {} and past_value {} do not match key and value", text(oldKeys),
                                   text(oldValues)));
  shape.keys += result.past;
  return result;
}

ImportedValues attention(const NodeReader &node) {
  TILERIG_TRY(const Node from, nodeOf(node));
  const AttentionShape &shape = from.shape;
  const int64_t hidden = shape.heads * shape.headSize;
  Composition to(node);
  const auto biased = [&](size_t operand, int64_t first, int64_t size) {
    return node.has(bias) ? to.add(node.input(operand), to.slice(node.input(bias), 0, first, first + size))
                          : node.input(operand);
  };
  const auto behindPast = [&](size_t operand, size_t past, int64_t first, int64_t size) {
    if (from.hasHeadsFirst)
      return node.input(operand);
    const mlir::Value x = headsFirst(to, biased(operand, first, size), shape.heads);
    return from.past ? to.concat({node.input(past), x}, 2) : x;
  };
  AttentionOperands operands;
  operands.q = headsFirst(to, biased(query, 0, hidden), shape.heads);
  operands.k = behindPast(key, pastKey, hidden, hidden);
  operands.v = behindPast(value, pastValue, 2 * hidden, shape.heads * shape.valueSize);
  TILERIG_CHECK_OK(readRules(node, shape, from.past, padding, attentionBias, false, to, operands));
  const auto stage = node.numOutputs() > 3 ? std::optional(ScoreStage::biased) : std::nullopt;
  const AttentionResults results = composeAttention(to, shape, operands, stage);
  Values all = {headsInside(to, results.y), operands.k, operands.v};
  if (stage)
    all.push_back(results.scores);
  all.resize(std::min(all.size(), node.numOutputs()));
  return to.results(all);
}

} // namespace multi

// --- Attention with projection ---

namespace projected {

enum Operand : size_t { input, weights, bias, mask, past, attentionBias, pastLength };

struct Node {
  AttentionShape shape;
  int64_t past = 0;
};

Result<Node> nodeOf(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 7));
  TILERIG_TRY(const int64_t heads, node.neededInteger("num_heads"));
  if (node.integer("do_rotary", 0) != 0)
    return node.unsupportedHere("attribute 'do_rotary' is not supported");
  if (node.integer("past_present_share_buffer", 0) != 0 || node.has(pastLength))
    return node.unsupportedHere("a shared buffer of past and present is not supported");
  TILERIG_CHECK_OK(needsOneType(node, {weights, bias, past}));
  const auto x = node.shape(input), w = node.shape(weights);
  if (x.size() != 3 || w.size() != 2 || x[2] != w[0])
    return node.refuse(
        fmt::format("the input of shape {} and the weights of shape {} do not match", text(x), text(w)));
  const Ints sizes = node.integers("qkv_hidden_sizes").value_or(Ints(3, w[1] / 3));
  if (heads < 1 || sizes.size() != 3 || sizes[0] != sizes[1] || sizes[0] + sizes[1] + sizes[2] != w[1] ||
      sizes[0] < 1 || sizes[0] % heads != 0 || sizes[2] < 1 || sizes[2] % heads != 0)
    return node.refuse(
        fmt::format("the weights of shape {} cannot be divided into queries, keys and values of {} heads",
                    text(w), heads));
  if (node.has(bias) && node.shape(bias) != llvm::ArrayRef(w[1]))
    return node.refuse(fmt::format("the bias has shape {}, expected [{}]", text(node.shape(bias)), w[1]));
  Node result{{x[0], heads, heads, x[1], x[1], sizes[0] / heads, sizes[2] / heads}};
  AttentionShape &shape = result.shape;
  if (node.numOutputs() > 1 && shape.headSize != shape.valueSize)
    return node.unsupportedHere("a present output for values of another size than keys is not supported");
  if (!node.has(past))
    return result;
  const auto old = node.shape(past);
  result.past = old.size() == 5 ? old[3] : 0;
  if (shape.headSize != shape.valueSize ||
      old != llvm::ArrayRef(Ints{2, x[0], heads, result.past, shape.headSize}))
    return node.refuse(fmt::format("the past of shape {} does not match, expected 2x{}x{}x*x{}", text(old),
                                   x[0], heads, shape.headSize));
  shape.keys += result.past;
  return result;
}

ImportedValues attention(const NodeReader &node) {
  TILERIG_TRY(const Node from, nodeOf(node));
  const AttentionShape &shape = from.shape;
  const int64_t hidden = shape.heads * shape.headSize, width = node.shape(weights)[1];
  Composition to(node);
  mlir::Value all = to.matmul(node.input(input), node.input(weights));
  if (node.has(bias))
    all = to.add(all, node.input(bias));
  const auto part = [&](int64_t begin, int64_t end, int64_t half) {
    const mlir::Value x = headsFirst(to, to.slice(all, 2, begin, end), shape.heads);
    if (!from.past || half < 0)
      return x;
    return to.concat({to.reshape(to.slice(node.input(past), 0, half, half + 1),
                                 {shape.batch, shape.heads, from.past, shape.headSize}),
                      x},
                     2);
  };
  AttentionOperands operands;
  operands.q = part(0, hidden, -1);
  operands.k = part(hidden, 2 * hidden, 0);
  operands.v = part(2 * hidden, width, 1);
  TILERIG_CHECK_OK(readRules(node, shape, from.past, mask, attentionBias, true, to, operands));
  const AttentionResults results = composeAttention(to, shape, operands, std::nullopt);
  Values outputs = {headsInside(to, results.y)};
  if (node.numOutputs() > 1) {
    const Ints one = {1, shape.batch, shape.heads, shape.keys, shape.headSize};
    outputs.push_back(to.concat({to.reshape(operands.k, one), to.reshape(operands.v, one)}, 0));
  }
  return to.results(outputs);
}

} // namespace projected

} // namespace

void addFusedAttention(ImporterTable &table) {
  table.emplace("com.microsoft.Attention", projected::attention);
  table.emplace("com.microsoft.MultiHeadAttention", multi::attention);
}

} // namespace tilerig::compiler
