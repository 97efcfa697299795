#include "compiler/Dialect/Graph/Shapes.h"
#include "compiler/Passes/Constants.h"
#include "compiler/Passes/Fusion.h"
#include "compiler/Passes/Passes.h"

#include <cmath>
#include <llvm/ADT/Sequence.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

namespace tilerig {

#define GEN_PASS_DEF_FUSEATTENTION
#include "compiler/Passes/Passes.h.inc"

namespace {

using namespace graph;

// What softmax is taken of: scale * q * transposed keys + mask.
struct Scores {
  mlir::Value q, transposedKeys, mask;
  double scale = 1;
};

// Takes multiplications by, and divisions by, one number off a value.
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

// Exporters scale the product, or both of its operands.
std::optional<Scores> scaledProduct(mlir::Value value) {
  Scores scores;
  auto product = withoutScale(value, scores.scale).getDefiningOp<MatMulOp>();
  if (!product || shapeOf(product.getA()).size() < 2 || shapeOf(product.getB()).size() < 2)
    return {};
  scores.q = withoutScale(product.getA(), scores.scale);
  scores.transposedKeys = withoutScale(product.getB(), scores.scale);
  return scores;
}

std::optional<Scores> scoresOf(mlir::Value value) {
  auto sum = value.getDefiningOp<AddOp>();
  if (!sum)
    return scaledProduct(value);
  for (mlir::Value operand : sum->getOperands())
    if (auto scores = scaledProduct(operand); scores && operand.getType() == sum.getType()) {
      scores->mask = other(sum, operand);
      return scores;
    }
  return {};
}

// Rows and columns exchanged. Keys are mostly transposed already, and back they are as they were.
mlir::Value rows(mlir::Value columns, mlir::Operation *user, mlir::PatternRewriter &rewriter) {
  Shape perm = llvm::to_vector(llvm::seq<int64_t>(shapeOf(columns).size()));
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  const auto type =
      mlir::RankedTensorType::get(permuted(shapeOf(columns), perm), tensorType(columns).getElementType());
  const mlir::Location location = withTensor(user->getLoc(), transposed(tensorOrigin(columns), perm));
  return TransposeOp::create(rewriter, location, type, columns, perm);
}

struct Attention : mlir::OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(MatMulOp product, mlir::PatternRewriter &rewriter) const override {
    auto softmax = product.getA().getDefiningOp<SoftmaxOp>();
    if (!softmax || softmax.getAxis() + 1 != shapeOf(softmax.getInput()).size() ||
        shapeOf(product.getB()).size() < 2 ||
        !llvm::isa<mlir::FloatType>(tensorType(product).getElementType()))
      return mlir::failure();
    const auto scores = scoresOf(softmax.getInput());
    if (!scores || !std::isfinite(scores->scale))
      return mlir::failure();
    llvm::SmallVector<mlir::Value> leaves{scores->q, scores->transposedKeys, product.getB()};
    if (scores->mask)
      leaves.push_back(scores->mask);
    const Operations parts = between(leaves, product);
    if (!isPrivate(parts))
      return mlir::failure();
    const mlir::Value keys = rows(scores->transposedKeys, parts.front(), rewriter);
    fuseInto<AttentionOp>(rewriter, product, leaves, scores->q, keys, product.getB(), scores->mask,
                          llvm::APFloat(scores->scale));
    return mlir::success();
  }
};

struct FuseAttentionPass : impl::FuseAttentionBase<FuseAttentionPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<Attention>(&getContext());
    if (mlir::failed(mlir::applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig
