#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/Transforms/Constants.h"
#include "compiler/Graph/Transforms/Fusion.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <cmath>
#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FUSEATTENTION
#include "compiler/Passes/Passes.h.inc"

namespace {

using namespace graph;

// The operand of softmax: scale * q * transposed keys + mask. Where the boolean tensor `choice` says so, the
// number `fill` replaces the score, before or after the mask is added.
struct Scores {
  mlir::Value q, transposedKeys, mask, choice;
  double scale = 1, fill = 0;
  bool fillsChosen = false, fillFirst = false;
  Dims batches;           // sizes of the batch axes of the tensors `mask` and `choice`
  bool isDivided = false; // whether the batch axes of `q` and `transposedKeys` differ from `batches`
};

Dims batchesOf(mlir::Value matrices) { return Dims(shapeOf(matrices).drop_back(2)); }

// Whether a reshape of a stack of matrices changes only the batch axes, and keeps the last two axes (the
// matrices).
bool keepsMatrices(ReshapeOp reshape) {
  const auto from = shapeOf(reshape.getInput()), to = shapeOf(reshape.getOutput());
  return from.size() >= 2 && to.size() >= 2 && from.take_back(2) == to.take_back(2);
}

// Strips multiplications and divisions by scalars from a value and collects them in `scale`.
mlir::Value withoutScale(mlir::Value value, double &scale) {
  while (mlir::Operation *operation = value.getDefiningOp()) {
    auto product = llvm::dyn_cast<MulOp>(operation);
    auto quotient = llvm::dyn_cast<DivOp>(operation);
    if (!product && !quotient)
      break;
    const bool isFirst = product && scalarOf(product.getA());
    const mlir::Value rest = operation->getOperand(isFirst ? 1 : 0);
    const auto number = scalarOf(operation->getOperand(isFirst ? 0 : 1));
    if (!number || rest.getType() != value.getType())
      break;
    scale *= product ? *number : 1 / *number;
    value = rest;
  }
  return value;
}

// Matches the scaled product q * keys. Exporters scale the product or its operands. Some merge batch and
// heads into one axis for the product, and split that axis for the mask.
std::optional<Scores> scaledProduct(mlir::Value value) {
  Scores scores;
  mlir::Value rest = withoutScale(value, scores.scale);
  auto reshape = rest.getDefiningOp<ReshapeOp>();
  if (reshape && keepsMatrices(reshape))
    rest = withoutScale(reshape.getInput(), scores.scale);
  auto product = rest.getDefiningOp<MatMulOp>();
  if (!product || shapeOf(product.getA()).size() < 2 || shapeOf(product.getB()).size() < 2)
    return {};
  scores.isDivided = reshape && batchesOf(rest) != batchesOf(value);
  if (scores.isDivided &&
      (batchesOf(product.getA()) != batchesOf(rest) || batchesOf(product.getB()) != batchesOf(rest)))
    return {};
  scores.q = withoutScale(product.getA(), scores.scale);
  scores.transposedKeys = withoutScale(product.getB(), scores.scale);
  scores.batches = batchesOf(value);
  return scores;
}

std::optional<Scores> scoresOf(mlir::Value value, bool mayAdd, bool mayFill);

std::optional<Scores> maskedScores(AddOp sum, bool mayFill) {
  for (mlir::Value operand : sum->getOperands())
    if (operand.getType() == sum.getType())
      if (auto scores = scoresOf(operand, /*mayAdd=*/false, mayFill)) {
        scores->mask = other(sum, operand);
        scores->fillFirst = static_cast<bool>(scores->choice);
        return scores;
      }
  return {};
}

// Matches a Where operation that replaces some attention scores by a fill value, and whose result is
// multiplied by `scale`. If a mask is added before the Where operation, the scale must be 1, because the mask
// would be scaled as well.
std::optional<Scores> filledScores(WhereOp where, double scale, bool mayAdd) {
  const bool fillsChosen = scalarOf(where.getA()).has_value();
  const mlir::Value rest = fillsChosen ? where.getB() : where.getA();
  const auto fill = scalarOf(fillsChosen ? where.getA() : where.getB());
  if (!fill || rest.getType() != where.getType() || std::isnan(*fill * scale))
    return {};
  auto scores = scoresOf(rest, mayAdd && scale == 1, /*mayFill=*/false);
  if (!scores)
    return {};
  scores->choice = where.getCondition();
  scores->fill = *fill * scale;
  scores->fillsChosen = fillsChosen;
  scores->scale *= scale;
  return scores;
}

// Matches attention scores to which at most one mask is added, and of which at most one Where operation
// replaces some by a fill value, in either order.
std::optional<Scores> scoresOf(mlir::Value value, bool mayAdd, bool mayFill) {
  if (auto sum = value.getDefiningOp<AddOp>())
    return mayAdd ? maskedScores(sum, mayFill) : std::nullopt;
  double scale = 1;
  if (auto where = withoutScale(value, scale).getDefiningOp<WhereOp>())
    return mayFill ? filledScores(where, scale, mayAdd) : std::nullopt;
  return scaledProduct(value);
}

// The softmax that computes the attention weights; null if there is none. Sets `nanIsZero` if the model
// replaces NaNs in the result of the softmax by zeros.
SoftmaxOp softmaxOf(mlir::Value weights, bool &nanIsZero) {
  if (auto where = weights.getDefiningOp<WhereOp>()) {
    auto test = where.getCondition().getDefiningOp<IsNaNOp>();
    if (!test || test.getInput() != where.getB() || where.getB().getType() != where.getType() ||
        !isNumber(where.getA(), 0))
      return nullptr;
    nanIsZero = true;
    weights = where.getB();
  }
  return weights.getDefiningOp<SoftmaxOp>();
}

// Transposes the two matrix axes of the keys. The keys are mostly the result of a transpose already; then the
// two transposes cancel.
mlir::Value rows(mlir::Value columns, mlir::Operation *user, mlir::PatternRewriter &rewriter) {
  Dims perm = llvm::to_vector(llvm::seq<int64_t>(shapeOf(columns).size()));
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  const auto type =
      mlir::RankedTensorType::get(permuted(shapeOf(columns), perm), tensorType(columns).getElementType());
  const mlir::Location location = withTensor(user->getLoc(), transposed(tensorOrigin(columns), perm));
  return TransposeOp::create(rewriter, location, type, columns, perm);
}

// Reshapes a stack of matrices so that its batch axes are `batches`.
mlir::Value divided(mlir::Value value, const Dims &batches, mlir::Operation *user,
                    mlir::PatternRewriter &rewriter) {
  Dims shape = batches;
  shape.append(shapeOf(value).take_back(2).begin(), shapeOf(value).end());
  if (shapeOf(value) == llvm::ArrayRef(shape))
    return value;
  return ReshapeOp::create(rewriter, withTensor(user->getLoc(), std::nullopt),
                           mlir::RankedTensorType::get(shape, tensorType(value).getElementType()), value);
}

struct Attention : mlir::OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(MatMulOp product, mlir::PatternRewriter &rewriter) const override {
    bool nanIsZero = false;
    auto softmax = softmaxOf(product.getA(), nanIsZero);
    if (!softmax || softmax.getAxis() + 1 != shapeOf(softmax.getInput()).size() ||
        shapeOf(product.getB()).size() < 2 ||
        !llvm::isa<mlir::FloatType>(tensorType(product).getElementType()))
      return mlir::failure();
    mlir::Value masked = softmax.getInput();
    if (auto reshape = masked.getDefiningOp<ReshapeOp>();
        reshape && keepsMatrices(reshape) && batchesOf(product.getB()) == batchesOf(masked))
      masked = reshape.getInput();
    const auto scores = scoresOf(masked, /*mayAdd=*/true, /*mayFill=*/true);
    if (!scores || !std::isfinite(scores->scale))
      return mlir::failure();
    llvm::SmallVector<mlir::Value> leaves{scores->q, scores->transposedKeys, product.getB()};
    for (const mlir::Value more : {scores->mask, scores->choice})
      if (more)
        leaves.push_back(more);
    const Operations parts = between(leaves, product);
    if (!isPrivate(parts))
      return rewriter.notifyMatchFailure(product, otherReaders);
    replace(product, *scores, parts, masked != softmax.getInput(), nanIsZero, rewriter);
    return mlir::success();
  }

  // `isDivided`: whether the softmax, the values and the result have other batch axes than `scores.batches`,
  // and so have to be reshaped.
  static void replace(MatMulOp product, const Scores &scores, const Operations &parts, bool isDivided,
                      bool nanIsZero, mlir::PatternRewriter &rewriter) {
    const auto as = [&](mlir::Value value, bool differs) {
      return differs ? divided(value, scores.batches, product, rewriter) : value;
    };
    const mlir::Value keys = rows(scores.transposedKeys, parts.front(), rewriter);
    const mlir::Value q = as(scores.q, scores.isDivided), k = as(keys, scores.isDivided),
                      v = as(product.getB(), isDivided);
    Dims shape(shapeOf(product));
    if (isDivided) {
      shape = scores.batches;
      shape.append(shapeOf(product).take_back(2).begin(), shapeOf(product).end());
    }
    const mlir::Location location = locationOf(parts);
    const auto fill = scores.choice ? rewriter.getF64FloatAttr(scores.fill) : mlir::FloatAttr();
    const mlir::Value attention = AttentionOp::create(
        rewriter, isDivided ? withTensor(location, std::nullopt) : location,
        mlir::RankedTensorType::get(shape, tensorType(product).getElementType()), q, k, v, scores.mask,
        scores.choice, llvm::APFloat(scores.scale), fill, scores.fillsChosen, scores.fillFirst, nanIsZero);
    if (isDivided)
      rewriter.replaceOpWithNewOp<ReshapeOp>(product, product.getType(), attention)->setLoc(location);
    else
      rewriter.replaceOp(product, attention);
  }
};

struct FuseAttentionPass : impl::FuseAttentionBase<FuseAttentionPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<Attention>(&getContext());
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
