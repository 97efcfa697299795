#include "compiler/Graph/Import/AttentionComposition.h"

#include <cmath>
#include <limits>

namespace tilerig::compiler {

using namespace graph;

namespace {

// Splits the axis of query heads into key heads and the query heads that share one, so that keys and values
// broadcast. The second axis of `x` may be 1.
mlir::Value grouped(Composition &to, mlir::Value x, const AttentionShape &shape, int64_t headsOfX) {
  if (!x)
    return nullptr;
  const auto sizes = shapeOf(x);
  Ints split = {sizes[0], sizes[1], 1, sizes[2], sizes[3]};
  if (sizes[1] != 1 && headsOfX == shape.heads)
    split = {sizes[0], shape.keyHeads, shape.heads / shape.keyHeads, sizes[2], sizes[3]};
  return to.reshape(x, split);
}

// Appends the sink to the scores as another key, which every query attends to.
void appendSink(Composition &to, mlir::Value &scores, mlir::Value &choice, mlir::Value sink) {
  if (!scores)
    return;
  const auto column = [](mlir::Value x) {
    Ints shape(shapeOf(x));
    shape.back() = 1;
    return shape;
  };
  const auto last = static_cast<int64_t>(shapeOf(scores).size()) - 1;
  if (choice)
    choice = to.concat(
        {choice, to.expand(to.booleans({true}, Ints(shapeOf(choice).size(), 1)), column(choice))}, last);
  scores = to.concat({scores, to.expand(sink, column(scores))}, last);
}

// For each query, whether `choice` leaves it a key. Changes `choice` to leave all keys to the other queries, so that
// their softmax is finite.
mlir::Value queriesWithKeys(Composition &to, mlir::Value &choice, mlir::Type integer) {
  const mlir::Value numbers = to.cast(choice, integer);
  if (!numbers)
    return nullptr;
  const Ints last = {static_cast<int64_t>(shapeOf(numbers).size()) - 1};
  const mlir::Value most = to.make<ReduceMaxOp>(numbers, last, true);
  const mlir::Value zero = to.cast(to.integers({0}, {}), integer);
  const mlir::Value hasKey = most && zero ? to.make<GreaterOp>(most, zero) : nullptr;
  if (!hasKey)
    return nullptr;
  const mlir::Value hasNone = to.make<NotOp>(hasKey);
  choice = hasNone ? to.make<OrOp>(choice, hasNone) : nullptr;
  return hasKey;
}

mlir::Value capped(Composition &to, mlir::Value scores, double softcap, mlir::Type element) {
  if (softcap == 0)
    return scores;
  const mlir::Value scaled = to.mul(scores, to.number(1 / softcap, element));
  return to.mul(to.unary<TanhOp>(scaled), to.number(softcap, element));
}

} // namespace

AttentionResults composeAttention(Composition &to, const AttentionShape &shape,
                                  const AttentionOperands &operands, std::optional<ScoreStage> stage) {
  AttentionOperands of = operands;
  if (!of.q || !of.k || !of.v)
    return {};
  if (shape.heads != shape.keyHeads) {
    of.q = grouped(to, of.q, shape, shape.heads);
    of.k = grouped(to, of.k, shape, shape.keyHeads);
    of.v = grouped(to, of.v, shape, shape.keyHeads);
    of.mask = grouped(to, of.mask, shape, shape.heads);
    of.choice = grouped(to, of.choice, shape, shape.heads);
    of.sink = grouped(to, of.sink, shape, shape.heads);
  }
  const mlir::Type element = elementOf(operands.q);
  const int64_t rank = shape.heads != shape.keyHeads ? 5 : 4;
  Ints perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(perm[static_cast<size_t>(rank - 1)], perm[static_cast<size_t>(rank - 2)]);
  AttentionResults results;
  const auto store = [&](ScoreStage at, mlir::Value scores) {
    if (stage == at)
      results.scores = to.reshape(scores, shape.scores());
  };
  mlir::Value scores = to.matmul(of.q, to.transpose(of.k, perm));
  scores = to.mul(scores, to.number(of.scale, element));
  store(ScoreStage::product, scores);
  scores = capped(to, scores, of.softcap, element);
  store(ScoreStage::capped, scores);
  if (of.mask)
    scores = to.add(scores, of.mask);
  mlir::Value hasKey;
  if (of.sink)
    appendSink(to, scores, of.choice, of.sink);
  else if (of.choice && of.choiceMayBeEmpty && stage != ScoreStage::biased)
    hasKey = queriesWithKeys(to, of.choice, mlir::IntegerType::get(element.getContext(), 32));
  if (of.choice)
    scores = to.where(of.choice, scores, to.number(-std::numeric_limits<double>::infinity(), element));
  store(ScoreStage::biased, scores);
  mlir::Value weights = scores ? to.make<SoftmaxOp>(scores, static_cast<uint64_t>(rank - 1)) : nullptr;
  const mlir::Value zero = to.number(0, element);
  if (of.sink)
    weights = to.slice(weights, rank - 1, 0, shape.keys);
  else if (weights && (of.maskMayBeEmpty || (of.choiceMayBeEmpty && !hasKey)))
    weights = to.where(to.isNaN(weights), zero, weights);
  const auto withoutEmpty = [&](mlir::Value x) { return hasKey ? to.where(hasKey, x, zero) : x; };
  if (stage == ScoreStage::weights)
    store(ScoreStage::weights, withoutEmpty(weights));
  results.y = to.reshape(withoutEmpty(to.matmul(weights, of.v)),
                         {shape.batch, shape.heads, shape.queries, shape.valueSize});
  return results;
}

void addMask(Composition &to, AttentionOperands &operands, mlir::Value mask) {
  if (mask)
    operands.mask = operands.mask ? to.add(operands.mask, mask) : mask;
}

void addChoice(Composition &to, AttentionOperands &operands, mlir::Value choice) {
  if (choice)
    operands.choice = operands.choice ? to.make<AndOp>(operands.choice, choice) : choice;
}

bool mayExclude(mlir::Value mask) {
  if (!mask)
    return false;
  auto constant = mask.getDefiningOp<ConstantOp>();
  if (!constant)
    return true;
  const Tensor tensor = tensorOf(constant.getValue());
  return dispatch(tensor.dtype(), [&]<class T>() {
    if constexpr (std::is_same_v<T, bool>)
      return llvm::is_contained(tensor.as<bool>(), false);
    else if constexpr (std::is_floating_point_v<T>)
      return llvm::any_of(tensor.as<T>(), [](T x) { return !std::isfinite(x); });
    else
      return true;
  });
}

mlir::Value headsFirst(Composition &to, mlir::Value x, int64_t heads) {
  if (!x)
    return nullptr;
  const auto sizes = shapeOf(x);
  return to.transpose(to.reshape(x, {sizes[0], sizes[1], heads, sizes[2] / heads}), {0, 2, 1, 3});
}

mlir::Value headsInside(Composition &to, mlir::Value x) {
  if (!x)
    return nullptr;
  const Ints sizes(shapeOf(x));
  return to.reshape(to.transpose(x, {0, 2, 1, 3}), {sizes[0], sizes[2], sizes[1] * sizes[3]});
}

mlir::Value positionChoice(Composition &to, const AttentionShape &shape, bool &leavesEmpty,
                           llvm::function_ref<bool(int64_t query, int64_t key)> isAllowed) {
  llvm::SmallVector<bool> allowed;
  for (int64_t query = 0; query < shape.queries; ++query) {
    bool isEmpty = true;
    for (int64_t key = 0; key < shape.keys; ++key) {
      allowed.push_back(isAllowed(query, key));
      isEmpty &= !allowed.back();
    }
    leavesEmpty |= isEmpty;
  }
  return llvm::is_contained(allowed, false) ? to.booleans(allowed, {1, 1, shape.queries, shape.keys})
                                            : mlir::Value();
}

} // namespace tilerig::compiler
