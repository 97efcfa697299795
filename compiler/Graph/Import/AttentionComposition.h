// Composes attention from matrix products and a softmax, for all operators that compute it.
#pragma once

#include "compiler/Graph/Import/Composition.h"

namespace tilerig::compiler {

// `heads` query heads share `keyHeads` heads of keys and values, each of which serves heads / keyHeads neighbours.
struct AttentionShape {
  int64_t batch, heads, keyHeads, queries, keys, headSize, valueSize;

  Ints scores() const { return {batch, heads, queries, keys}; }
};

// What attention can return besides its result.
enum class ScoreStage { product, capped, biased, weights };

struct AttentionOperands {
  mlir::Value q, k, v; // of the shape batch × heads × length × size
  double scale = 1;
  double softcap = 0; // 0: none; else scores become softcap * tanh(score / softcap)
  // A float mask that is added to the scores, and a boolean one that is false where a score becomes minus infinity.
  // Both have rank 4 and broadcast to batch × heads × queries × keys. Null if there is none.
  mlir::Value mask, choice;
  // For each head the logarithm of an addend of the softmax's denominator, of the shape 1 × heads × 1 × 1; or null.
  mlir::Value sink;
  // Whether `choice`, or `mask` by minus infinity, may leave a query without any key; its result is then zero.
  bool choiceMayBeEmpty = false, maskMayBeEmpty = false;
};

struct AttentionResults {
  mlir::Value y, scores; // y: of the shape batch × heads × queries × valueSize
};

// `stage`: which scores are returned; they are null if it has no value.
AttentionResults composeAttention(Composition &to, const AttentionShape &shape,
                                  const AttentionOperands &operands, std::optional<ScoreStage> stage);

// Adds a float mask, or intersects with a boolean one; both may be null.
void addMask(Composition &to, AttentionOperands &operands, mlir::Value mask);
void addChoice(Composition &to, AttentionOperands &operands, mlir::Value choice);

// Whether a mask may be minus infinity, or false, anywhere: whether it is computed or has such an element.
bool mayExclude(mlir::Value mask);

// Splits the last axis of a tensor batch × length × (heads · size) and moves the heads in front of the length; and
// the reverse.
mlir::Value headsFirst(Composition &to, mlir::Value x, int64_t heads);
mlir::Value headsInside(Composition &to, mlir::Value x);

// The matrix queries × keys that is true where isAllowed(query, key), as a tensor of rank 4; null if it is true
// everywhere. Sets `leavesEmpty` if it is false in a whole row.
mlir::Value positionChoice(Composition &to, const AttentionShape &shape, bool &leavesEmpty,
                           llvm::function_ref<bool(int64_t query, int64_t key)> isAllowed);

} // namespace tilerig::compiler
