#include "compiler/Graph/Transforms/TransposePatterns.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/Transforms/Permutable.h"
#include "compiler/Graph/Transforms/Regroup.h"
#include "compiler/Graph/Transforms/Weights.h"

namespace tilerig::compiler {

namespace {

using namespace graph;

mlir::RankedTensorType typeLike(mlir::Value value, llvm::ArrayRef<int64_t> shape) {
  return mlir::RankedTensorType::get(shape, tensorType(value).getElementType());
}

// Moves a transpose from in front of a reshape to behind it, if the reshape joins and splits only axes that
// are adjacent in memory.
struct BelowReshape : mlir::OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(ReshapeOp reshape, mlir::PatternRewriter &rewriter) const override {
    auto transpose = reshape.getInput().getDefiningOp<TransposeOp>();
    if (!transpose || !transpose->hasOneUse())
      return mlir::failure();
    const mlir::Value from = transpose.getInput();
    const auto place = regroup(shapeOf(from), transpose.getPerm(), shapeOf(reshape.getOutput()));
    if (!place)
      return mlir::failure();
    const auto tensor = transposed(tensorOrigin(reshape.getOutput()), inverse(place->perm));
    auto first =
        ReshapeOp::create(rewriter, withTensor(reshape.getLoc(), tensor), typeLike(from, place->shape), from);
    rewriter.replaceOpWithNewOp<TransposeOp>(reshape, reshape.getType(), first, place->perm);
    return mlir::success();
  }
};

// Removes a transpose in front of an operation that accepts either order of axes, and adapts the operation.
struct Absorbed : mlir::RewritePattern {
  explicit Absorbed(mlir::MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  mlir::LogicalResult matchAndRewrite(mlir::Operation *operation,
                                      mlir::PatternRewriter &rewriter) const override {
    auto transpose = operation->getNumOperands() == 1 ? operation->getOperand(0).getDefiningOp<TransposeOp>()
                                                      : TransposeOp();
    if (!transpose || !takesEither(operation, transpose.getPerm()))
      return mlir::failure();
    rewriter.modifyOpInPlace(operation, [&] {
      takePermuted(operation, transpose.getPerm());
      operation->setOperand(0, transpose.getInput());
    });
    return mlir::success();
  }
};

// Handles transpose(reshape(transpose(x))), as in channel shuffles, if the inner transpose cannot move behind
// the reshape: the outer transpose moves in front of the reshape instead, and both become one transpose.
struct AboveReshape : mlir::OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(TransposeOp transpose, mlir::PatternRewriter &rewriter) const override {
    auto reshape = transpose.getInput().getDefiningOp<ReshapeOp>();
    auto first =
        reshape && reshape->hasOneUse() ? reshape.getInput().getDefiningOp<TransposeOp>() : TransposeOp();
    if (!first || !first->hasOneUse() ||
        regroup(shapeOf(first.getInput()), first.getPerm(), shapeOf(reshape.getOutput())))
      return mlir::failure();
    // For y = transpose(reshape(x)): the transpose can move in front of the reshape if, conversely, x can be
    // computed from y by a reshape that is followed by a transpose.
    const auto place =
        regroup(shapeOf(transpose.getOutput()), inverse(transpose.getPerm()), shapeOf(reshape.getInput()));
    if (!place)
      return mlir::failure();
    const Order both = permuted(first.getPerm(), inverse(place->perm));
    auto one = TransposeOp::create(rewriter, withTensor(reshape.getLoc(), {}), typeLike(first, place->shape),
                                   first.getInput(), both);
    rewriter.replaceOpWithNewOp<ReshapeOp>(transpose, transpose.getType(), one);
    return mlir::success();
  }
};

// Returns how the elements of a flattened image are reordered if the transpose in front of the flattening is
// dropped: element i of the flattened image becomes element order[i], where `order` is the returned vector.
std::vector<size_t> rowOrder(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> perm) {
  std::vector<size_t> strides(shape.size(), 1);
  for (size_t i = shape.size() - 1; i-- > 1;)
    strides[i] = strides[i + 1] * static_cast<size_t>(shape[i + 1]);
  std::vector<size_t> order = {0};
  for (int64_t axis : perm.drop_front()) {
    std::vector<size_t> finer;
    for (size_t offset : order)
      for (int64_t i = 0; i < shape[axis]; ++i)
        finer.push_back(offset + static_cast<size_t>(i) * strides[axis]);
    order = std::move(finer);
  }
  return order;
}

// Folds the transpose of an image that is flattened and then multiplied by constant weights into the weights,
// by reordering them.
template <class Op>
struct IntoWeights : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    const auto layer = Weighted::of(op);
    auto reshape =
        layer && layer->inputAxis() == 1 ? layer->input().template getDefiningOp<ReshapeOp>() : ReshapeOp();
    auto transpose = reshape && reshape->hasOneUse()
                         ? reshape.getInput().template getDefiningOp<TransposeOp>()
                         : TransposeOp();
    if (!transpose || transpose.getPerm().front() != 0 || shapeOf(layer->input()).size() != 2 ||
        shapeOf(layer->input())[0] != shapeOf(transpose.getInput())[0])
      return mlir::failure();
    const std::vector<size_t> order = rowOrder(shapeOf(transpose.getInput()), transpose.getPerm());
    const auto placeOf = [&](size_t i) {
      return layer->elementOf(order[layer->inputOf(i)], layer->outputOf(i));
    };
    if (!layer->reorder(rewriter, placeOf))
      return mlir::failure();
    rewriter.modifyOpInPlace(reshape, [&] {
      reshape.getInputMutable().assign(transpose.getInput());
      reshape->setLoc(withTensor(reshape->getLoc(), {}));
    });
    return mlir::success();
  }
};

struct AsReshape : mlir::OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(TransposeOp transpose, mlir::PatternRewriter &rewriter) const override {
    if (!movesNothing(shapeOf(transpose.getInput()), transpose.getPerm()))
      return mlir::failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(transpose, transpose.getType(), transpose.getInput());
    return mlir::success();
  }
};

} // namespace

void addTransposePatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<Absorbed, BelowReshape, AboveReshape, IntoWeights<GemmOp>, IntoWeights<MatMulOp>>(
      patterns.getContext());
}

void addMovesNothingPattern(mlir::RewritePatternSet &patterns) {
  patterns.add<AsReshape>(patterns.getContext());
}

} // namespace tilerig::compiler
