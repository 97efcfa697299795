// Import of ONNX's Attention and TensorScatter.
#include "compiler/Graph/Import/AttentionComposition.h"

#include <cmath>
#include <fmt/core.h>
#include <optional>

namespace tilerig::compiler {

namespace {

using namespace graph;

// The numbers of the operands of Attention.
enum AttentionOperand : size_t { queries, keys, values, mask, pastKeys, pastValues, validKeys };

struct Attention {
  AttentionShape shape;
  int64_t past = 0;    // keys of the cache, which precede the others
  bool hasHeadsInside; // whether the operands have the shape batch × length × (heads · size)
  bool isCausal;
  int64_t left, right; // window sizes; -1: unbounded

  bool restrictsPositions() const { return isCausal || left >= 0 || right >= 0; }
  // Whether a query at position `place` may attend to a key, by causality and windows.
  bool allows(int64_t place, int64_t key) const {
    return !(isCausal && key > place) && !(left >= 0 && key < place - left) &&
           !(right >= 0 && key > place + right);
  }
};

struct HeadTensor {
  int64_t batch, heads, rows, size;
};

Result<HeadTensor> headsOf(const NodeReader &node, size_t operand, std::string_view attribute) {
  const auto shape = node.shape(operand);
  if (shape.size() == 4)
    return HeadTensor{shape[0], shape[1], shape[2], shape[3]};
  if (shape.size() != 3)
    return node.refuse(fmt::format("input {} has shape {}, expected rank 3 or 4", operand, text(shape)));
  TILERIG_TRY(const int64_t heads, node.neededInteger(attribute));
  if (heads < 1 || shape[2] % heads != 0)
    return node.refuse(fmt::format("input {} of shape {} cannot be divided into {} heads (attribute '{}')",
                                   operand, text(shape), heads, attribute));
  return HeadTensor{shape[0], heads, shape[1], shape[2] / heads};
}

Status addPast(const NodeReader &node, Attention &attention) {
  if (node.has(pastKeys) != node.has(pastValues))
    return node.refuse("past_key and past_value must be given together");
  if (!node.has(pastKeys))
    return success();
  if (node.has(validKeys))
    return node.refuse("nonpad_kv_seqlen must not be given together with past_key and past_value");
  AttentionShape &shape = attention.shape;
  const auto key = node.shape(pastKeys), value = node.shape(pastValues);
  attention.past = key.size() == 4 ? key[2] : 0;
  if (key != llvm::ArrayRef<int64_t>({shape.batch, shape.keyHeads, attention.past, shape.headSize}) ||
      value != llvm::ArrayRef<int64_t>({shape.batch, shape.keyHeads, attention.past, shape.valueSize}))
    return node.refuse(
        fmt::format("past_key of shape {} and past_value of shape {} do not match keys and values", text(key),
                    text(value)));
  shape.keys += attention.past;
  return success();
}

Result<Attention> attentionOf(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3, 7));
  for (const size_t operand : {queries, keys, values, pastKeys, pastValues})
    if (node.has(operand) && node.elementType(operand) != node.elementType(queries))
      return node.unsupportedHere("queries, keys and values of different types are not supported",
                                  "cast them to one type");
  TILERIG_TRY(const HeadTensor q, headsOf(node, queries, "q_num_heads"));
  TILERIG_TRY(const HeadTensor k, headsOf(node, keys, "kv_num_heads"));
  TILERIG_TRY(const HeadTensor v, headsOf(node, values, "kv_num_heads"));
  if (node.rank(keys) != node.rank(queries) || node.rank(values) != node.rank(queries) ||
      k.batch != q.batch || v.batch != q.batch || k.heads != v.heads || k.rows != v.rows ||
      k.size != q.size || k.heads < 1 || q.heads % k.heads != 0)
    return node.refuse(fmt::format("queries {}, keys {} and values {} do not match",
                                   text(node.shape(queries)), text(node.shape(keys)),
                                   text(node.shape(values))));
  Attention attention{{q.batch, q.heads, k.heads, q.rows, k.rows, q.size, v.size},
                      0,
                      node.rank(queries) == 3,
                      node.integer("is_causal", 0) != 0,
                      node.integer("left_window_size", -1),
                      node.integer("right_window_size", -1)};
  if (attention.left < -1 || attention.right < -1)
    return node.refuse("left_window_size and right_window_size must be -1 or not negative");
  TILERIG_CHECK_OK(addPast(node, attention));
  return attention;
}

// The operand `mask` with rank 4 and all columns: since operator set 24 it may have fewer, and minus infinity is
// added.
Result<mlir::Value> fullMask(const NodeReader &node, const AttentionShape &shape, Composition &to) {
  Ints sizes(node.shape(mask));
  if (sizes.empty() || sizes.size() > 4)
    return node.refuse(fmt::format("the mask has shape {}, expected rank 1 to 4", text(sizes)));
  sizes.insert(sizes.begin(), 4 - sizes.size(), 1);
  const Ints full = shape.scores();
  const bool isShort = node.opset() >= 24 && sizes[3] < full[3];
  for (size_t axis = 0; axis < 4; ++axis)
    if (sizes[axis] != 1 && sizes[axis] != full[axis] && !(axis == 3 && isShort))
      return node.refuse(
          fmt::format("the mask of shape {} cannot be broadcast to {}", text(node.shape(mask)), text(full)));
  const mlir::Value whole = to.reshape(node.input(mask), sizes);
  if (!isShort)
    return whole;
  Ints rest = sizes;
  rest[3] = full[3] - sizes[3];
  const mlir::Value filler = node.elementType(mask).isInteger(1)
                                 ? to.booleans({false}, {1, 1, 1, 1})
                                 : to.constant({-INFINITY}, {1, 1, 1, 1}, node.elementType(mask));
  return to.concat({whole, to.expand(filler, rest)}, 3);
}

Status addMaskOperand(const NodeReader &node, const AttentionShape &shape, Composition &to,
                      AttentionOperands &operands) {
  if (!node.has(mask))
    return success();
  const bool isBoolean = node.elementType(mask).isInteger(1);
  if (!isBoolean && node.elementType(mask) != node.elementType(queries))
    return node.unsupportedHere(
        "a mask that is neither of booleans nor of the queries' type is not supported");
  TILERIG_TRY(const mlir::Value whole, fullMask(node, shape, to));
  (isBoolean ? operands.choiceMayBeEmpty : operands.maskMayBeEmpty) |= mayExclude(whole);
  if (isBoolean)
    addChoice(to, operands, whole);
  else
    addMask(to, operands, whole);
  return success();
}

// A constant matrix queries × keys of key - query + `shift`, to be compared with the number of valid keys.
mlir::Value distances(Composition &to, const AttentionShape &shape, int64_t shift, bool usesQuery) {
  Ints numbers;
  for (int64_t query = 0; query < shape.queries; ++query)
    for (int64_t key = 0; key < shape.keys; ++key)
      numbers.push_back(key - (usesQuery ? query : 0) + shift);
  return to.integers(numbers, {1, 1, shape.queries, shape.keys});
}

// Restricts the keys to the first nonpad_kv_seqlen ones of each element of the batch. The positions of the queries
// are then the last ones of the valid keys.
Status addValidKeys(const NodeReader &node, const Attention &attention, Composition &to,
                    AttentionOperands &operands) {
  const AttentionShape &shape = attention.shape;
  if (node.shape(validKeys) != llvm::ArrayRef(shape.batch))
    return node.refuse(fmt::format("nonpad_kv_seqlen has shape {}, expected [{}]",
                                   text(node.shape(validKeys)), shape.batch));
  const mlir::Value counts =
      to.cast(to.reshape(node.input(validKeys), {shape.batch, 1, 1, 1}), node.typeOf(DType::i64));
  if (!counts)
    return success();
  addChoice(to, operands, to.make<LessOp>(distances(to, shape, 0, false), counts));
  const int64_t ahead = shape.queries;
  if (attention.isCausal)
    addChoice(to, operands, to.make<LessOrEqualOp>(distances(to, shape, ahead, true), counts));
  if (attention.left >= 0)
    addChoice(to, operands,
              to.make<GreaterOrEqualOp>(distances(to, shape, ahead + attention.left, true), counts));
  if (attention.right >= 0)
    addChoice(to, operands,
              to.make<LessOrEqualOp>(distances(to, shape, ahead - attention.right, true), counts));
  operands.choiceMayBeEmpty = true;
  return success();
}

ImportedValues importAttention(const NodeReader &node) {
  TILERIG_TRY(const Attention attention, attentionOf(node));
  const AttentionShape &shape = attention.shape;
  const int64_t mode = node.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return node.refuse(fmt::format("attribute 'qk_matmul_output_mode' is {}, expected 0 to 3", mode));
  Composition to(node);
  const auto arranged = [&](size_t operand, size_t past, int64_t heads) {
    const mlir::Value x =
        attention.hasHeadsInside ? headsFirst(to, node.input(operand), heads) : node.input(operand);
    return attention.past > 0 && past ? to.concat({node.input(past), x}, 2) : x;
  };
  AttentionOperands operands;
  operands.q = arranged(queries, 0, shape.heads);
  operands.k = arranged(keys, pastKeys, shape.keyHeads);
  operands.v = arranged(values, pastValues, shape.keyHeads);
  operands.scale = node.attribute("scale") ? static_cast<double>(node.real("scale", 1))
                                           : 1 / std::sqrt(static_cast<double>(shape.headSize));
  operands.softcap = static_cast<double>(node.real("softcap", 0));
  TILERIG_CHECK_OK(addMaskOperand(node, shape, to, operands));
  if (node.has(validKeys)) {
    TILERIG_CHECK_OK(addValidKeys(node, attention, to, operands));
  } else if (attention.restrictsPositions()) {
    addChoice(to, operands,
              positionChoice(to, shape, operands.choiceMayBeEmpty, [&](int64_t query, int64_t key) {
                return attention.allows(query + attention.past, key);
              }));
  }
  const auto stage =
      node.numOutputs() > 3 ? std::optional(static_cast<ScoreStage>(mode)) : std::optional<ScoreStage>();
  const AttentionResults results = composeAttention(to, shape, operands, stage);
  Values all = {attention.hasHeadsInside ? headsInside(to, results.y) : results.y};
  if (node.numOutputs() > 1)
    llvm::append_values(all, operands.k, operands.v);
  if (stage)
    all.push_back(results.scores);
  all.resize(std::min(all.size(), node.numOutputs()));
  return to.results(all);
}

// --- TensorScatter ---

// One element of the batch of the cache, in which the update replaces the elements from `first` on; beyond the end
// they wrap around.
mlir::Value overwritten(Composition &to, mlir::Value cache, mlir::Value update, int64_t axis, int64_t first) {
  if (!cache || !update)
    return nullptr;
  const int64_t length = shapeOf(cache)[axis], count = shapeOf(update)[axis];
  const auto isUpdated = [&](int64_t place) { return (place - first + length) % length < count; };
  const auto source = [&](int64_t place) {
    return isUpdated(place) ? (place - first + length) % length : place;
  };
  Values parts;
  for (int64_t begin = 0, end; begin < length; begin = end) {
    for (end = begin + 1;
         end < length && isUpdated(end) == isUpdated(begin) && source(end) == source(end - 1) + 1;)
      ++end;
    parts.push_back(
        to.slice(isUpdated(begin) ? update : cache, axis, source(begin), source(begin) + end - begin));
  }
  return to.concat(parts, axis);
}

// Imports TensorScatter with constant write indices, as slices and concatenations.
ImportedValues tensorScatter(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 3));
  TILERIG_TRY(const int64_t axis, node.axis(node.integer("axis", -2), node.rank(0)));
  const std::string mode = node.text("mode", "linear");
  if (mode != "linear" && mode != "circular")
    return node.refuse(fmt::format("attribute 'mode' is '{}', expected 'linear' or 'circular'", mode));
  if (node.elementType(0) != node.elementType(1))
    return node.refuse("cache and update must have the same type");
  Ints expected(node.shape(0));
  expected[axis] = axis < node.rank(1) ? node.shape(1)[axis] : 0;
  if (axis == 0 || node.shape(1) != llvm::ArrayRef(expected) || expected[axis] > node.shape(0)[axis])
    return node.refuse(
        fmt::format("the update of shape {} does not fit into the cache of shape {} along axis {}",
                    text(node.shape(1)), text(node.shape(0)), axis));
  const int64_t batch = node.shape(0)[0], length = node.shape(0)[axis];
  Ints first(static_cast<size_t>(batch), 0);
  if (node.has(2)) {
    TILERIG_TRY(first, node.constantInts(2, "the write indices"));
  }
  const int64_t most = mode == "linear" ? length - expected[axis] : length - 1;
  if (static_cast<int64_t>(first.size()) != batch ||
      llvm::any_of(first, [&](int64_t index) { return index < 0 || index > most; }))
    return node.refuse(fmt::format("write_indices must be {} numbers from 0 to {}", batch, most));
  Composition to(node);
  if (llvm::all_equal(first))
    return to.results(
        {batch ? overwritten(to, node.input(0), node.input(1), axis, first[0]) : node.input(0)});
  Values parts;
  for (int64_t i = 0; i < batch; ++i)
    parts.push_back(overwritten(to, to.slice(node.input(0), 0, i, i + 1),
                                to.slice(node.input(1), 0, i, i + 1), axis, first[static_cast<size_t>(i)]));
  return to.results({to.concat(parts, 0)});
}

} // namespace

void addAttention(ImporterTable &table) {
  table.emplace("Attention", importAttention);
  table.emplace("TensorScatter", tensorScatter);
}

} // namespace tilerig::compiler
