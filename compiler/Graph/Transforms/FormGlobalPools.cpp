#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FORMGLOBALPOOLS
#include "compiler/Passes/Passes.h.inc"

namespace {

// Turns a reduction over all spatial axes of an image into a global pool. Tensors of rank 3 are left out:
// they may be sequences of vectors.
template <class Reduction, class Pool>
struct FromReduction : mlir::OpRewritePattern<Reduction> {
  using mlir::OpRewritePattern<Reduction>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Reduction reduction, mlir::PatternRewriter &rewriter) const override {
    const auto type = graph::tensorType(reduction.getInput());
    graph::Dims axes(reduction.getAxes());
    llvm::sort(axes);
    if (type.getRank() < 4 || !llvm::isa<mlir::FloatType>(type.getElementType()) ||
        !llvm::equal(axes, llvm::seq<int64_t>(2, type.getRank())))
      return mlir::failure();
    graph::Dims shape(type.getRank(), 1);
    shape[0] = type.getShape()[0], shape[1] = type.getShape()[1];
    const auto pooled = mlir::RankedTensorType::get(shape, type.getElementType());
    if (reduction.getKeepdims()) {
      rewriter.replaceOpWithNewOp<Pool>(reduction, pooled, reduction.getInput());
      return mlir::success();
    }
    auto pool =
        Pool::create(rewriter, graph::withTensor(reduction.getLoc(), {}), pooled, reduction.getInput());
    rewriter.replaceOpWithNewOp<graph::ReshapeOp>(reduction, reduction.getType(), pool);
    return mlir::success();
  }
};

// Whether the pooling window is as large as the image.
template <class Pool>
bool isGlobal(Pool pool) {
  const graph::Dims image = graph::imageShape(pool.getInput(), pool.getChannelsLast());
  return llvm::isa<mlir::FloatType>(graph::tensorType(pool.getInput()).getElementType()) &&
         llvm::equal(pool.getKernel(), llvm::drop_begin(image, 2)) &&
         llvm::all_of(pool.getPads(), [](int64_t pad) { return pad == 0; });
}

template <class Window, class Pool>
struct FromWindow : mlir::OpRewritePattern<Window> {
  using mlir::OpRewritePattern<Window>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Window window, mlir::PatternRewriter &rewriter) const override {
    if (!isGlobal(window))
      return mlir::failure();
    if constexpr (std::is_same_v<Window, graph::LpPoolOp>)
      rewriter.replaceOpWithNewOp<Pool>(window, window.getType(), window.getInput(), window.getP(),
                                        window.getChannelsLast());
    else
      rewriter.replaceOpWithNewOp<Pool>(window, window.getType(), window.getInput(),
                                        window.getChannelsLast());
    return mlir::success();
  }
};

struct FormGlobalPoolsPass : impl::FormGlobalPoolsBase<FormGlobalPoolsPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<FromReduction<graph::ReduceMeanOp, graph::GlobalAveragePoolOp>,
                 FromReduction<graph::ReduceMaxOp, graph::GlobalMaxPoolOp>,
                 FromWindow<graph::AveragePoolOp, graph::GlobalAveragePoolOp>,
                 FromWindow<graph::MaxPoolOp, graph::GlobalMaxPoolOp>,
                 FromWindow<graph::LpPoolOp, graph::GlobalLpPoolOp>>(&getContext());
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
