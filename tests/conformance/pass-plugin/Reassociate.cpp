// Two passes in a plugin: a right one, and one with a mistake that `tilerig check --after-each-pass` finds.
//
//   tilerig check model.onnx --after-each-pass --load-pass-plugin ./reassociate.so --insert-pass reassociate
//
// The pass `reassociate` replaces (x + a) + b by x + (a + b) if a and b are constants, and so do products:
// one operation less for each tensor that was shifted or scaled twice. `reassociate-wrong` does the same with
// differences, and forgets that a - b + b is a: it replaces (x - a) - b by x - (a - b).
#include "compiler/Graph/IR/Graph.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Pass/Pass.h>
#include <mlir/Tools/Plugins/PassPlugin.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

namespace {

namespace graph = tilerig::compiler::graph;

// Replaces outer(inner(x, a), b), both of type Outer, by Outer(x, Inner(a, b)).
template <class Outer, class Inner>
struct Regroup : mlir::OpRewritePattern<Outer> {
  using mlir::OpRewritePattern<Outer>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Outer outer, mlir::PatternRewriter &rewriter) const override {
    auto inner = outer->getOperand(0).template getDefiningOp<Outer>();
    if (!inner || !inner->hasOneUse() || inner.getType() != outer.getType())
      return mlir::failure();
    const mlir::Value a = inner->getOperand(1), b = outer->getOperand(1);
    if (!a.getDefiningOp<graph::ConstantOp>() || !b.getDefiningOp<graph::ConstantOp>() ||
        a.getType() != b.getType())
      return mlir::failure();
    const mlir::Value both = Inner::create(rewriter, b.getLoc(), a.getType(), a, b);
    rewriter.replaceOpWithNewOp<Outer>(outer, outer.getType(), inner->getOperand(0), both);
    return mlir::success();
  }
};

template <class Derived>
struct GreedyPass : mlir::PassWrapper<Derived, mlir::OperationPass<mlir::func::FuncOp>> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&this->getContext());
    Derived::add(patterns);
    const size_t before = this->count();
    if (mlir::failed(mlir::applyPatternsGreedily(this->getOperation(), std::move(patterns))))
      return this->signalPassFailure();
    saved += static_cast<unsigned>(before - this->count());
  }
  size_t count() {
    size_t operations = 0;
    for (mlir::Operation &operation : this->getOperation().getBody().front())
      operations += !operation.hasTrait<mlir::OpTrait::ConstantLike>();
    return operations;
  }
  GreedyPass() = default;
  GreedyPass(const GreedyPass &) {}

  mlir::Pass::Statistic saved{this, "operations-saved", "operations that are no longer needed"};
};

struct Reassociate : GreedyPass<Reassociate> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Reassociate)
  llvm::StringRef getArgument() const override { return "reassociate"; }
  llvm::StringRef getDescription() const override {
    return "merges constants that are added or multiplied in sequence";
  }
  static void add(mlir::RewritePatternSet &patterns) {
    patterns.add<Regroup<graph::AddOp, graph::AddOp>, Regroup<graph::MulOp, graph::MulOp>>(
        patterns.getContext());
  }
};

struct ReassociateWrong : GreedyPass<ReassociateWrong> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReassociateWrong)
  llvm::StringRef getArgument() const override { return "reassociate-wrong"; }
  llvm::StringRef getDescription() const override {
    return "merges constants that are subtracted in sequence, wrongly";
  }
  static void add(mlir::RewritePatternSet &patterns) {
    patterns.add<Regroup<graph::SubOp, graph::SubOp>>(patterns.getContext());
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "reassociate", "1", [] {
            mlir::PassRegistration<Reassociate>();
            mlir::PassRegistration<ReassociateWrong>();
          }};
}
