#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/IR/Quantised.h"
#include "compiler/Passes/Passes.h"

#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FUSEADDENDS
#include "compiler/Passes/Passes.h.inc"

namespace {

bool isQuantised(mlir::Value value) { return static_cast<bool>(layer::quantisedOf(layer::elementOf(value))); }

// Replaces product and addition by one product with an addend, at the place of the addition, where the addend
// is already computed. The quantised result type of the old product becomes `middle` of the new one.
template <class Product>
mlir::Operation *fuse(Product product, mlir::Value addend, layer::BinaryOp add,
                      mlir::PatternRewriter &rewriter) {
  auto fused = llvm::cast<Product>(rewriter.clone(*product));
  fused.getAddendMutable().assign(addend);
  if (product.getFunction())
    fused.setFunctionFirst(true);
  else
    fused.setFunctionAttr(add.getFunctionAttr());
  if (isQuantised(product.getOutput())) {
    fused.setMiddle(layer::elementOf(product.getOutput()));
    fused.getOutput().setType(llvm::cast<mlir::RankedTensorType>(add.getType()));
  }
  fused->setLoc(graph::fusedLocation({product.getLoc(), add.getLoc()}));
  return fused;
}

// Whether the product can take the addend: product and addition have at most one function, and it only
// clamps. Any other function needs a scale in front of it, and an integer layer has only one inner scale,
// `middle`.
template <class Product>
bool takes(Product product, mlir::Value addend, layer::BinaryOp add) {
  if (!product || !product->hasOneUse() || product.getAddend() ||
      (product.getFunction() && add.getFunction()) || !layer::isBound(product.getFunctionAttr()) ||
      !layer::isBound(add.getFunctionAttr()))
    return false;
  if (isQuantised(product.getOutput()))
    return isQuantised(addend) && isQuantised(add.getOutput()) && !product.getMiddle() &&
           graph::shapeOf(addend) == graph::shapeOf(add.getOutput()) &&
           graph::shapeOf(product.getOutput()) == graph::shapeOf(add.getOutput());
  return llvm::isa<mlir::FloatType>(add.getType().getElementType()) && product.getType() == add.getType() &&
         addend.getType() == add.getType();
}

struct AddendIntoProduct : mlir::OpRewritePattern<layer::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::BinaryOp add, mlir::PatternRewriter &rewriter) const override {
    if (add.getKind().getValue() != BinaryFunction::add || add.getA() == add.getB())
      return mlir::failure();
    // If both operands of the addition are products, the later product takes the other one's result as its
    // addend, so that neither product waits longer than before.
    mlir::Operation *a = add.getA().getDefiningOp(), *b = add.getB().getDefiningOp();
    const bool isSecondLater = a && b && a->isBeforeInBlock(b);
    for (const unsigned side : {isSecondLater ? 1u : 0u, isSecondLater ? 0u : 1u}) {
      const mlir::Value addend = add->getOperand(1 - side);
      mlir::Operation *fused = nullptr;
      if (auto conv = add->getOperand(side).getDefiningOp<layer::ConvOp>(); takes(conv, addend, add))
        fused = fuse(conv, addend, add, rewriter);
      else if (auto matmul = add->getOperand(side).getDefiningOp<layer::MatMulOp>();
               takes(matmul, addend, add))
        fused = fuse(matmul, addend, add, rewriter);
      if (!fused)
        continue;
      rewriter.replaceOp(add, fused->getResults());
      return mlir::success();
    }
    return mlir::failure();
  }
};

struct FuseAddendsPass : impl::FuseAddendsBase<FuseAddendsPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<AddendIntoProduct>(&getContext());
    if (mlir::failed(mlir::applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
