#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/IR/LayerBuilder.h"
#include "compiler/Layer/IR/Types.h"
#include "compiler/Passes/Passes.h"

#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FUSEBIASES
#include "compiler/Passes/Passes.h.inc"

namespace {

using graph::shapeOf;

// The constant as a vector with `outputs` elements; null if it is no constant or varies along other axes than
// the last.
mlir::Value vectorOf(mlir::Value constant, int64_t outputs, LayerBuilder &to) {
  const auto shape = shapeOf(constant);
  if (!elementsOf(constant) ||
      graph::tensorType(constant).getNumElements() != (shape.empty() ? 1 : shape.back()))
    return {};
  const int64_t count = graph::tensorType(constant).getNumElements();
  return count == 1 || count == outputs ? to.expand(to.reshape(constant, {count}), {outputs}) : mlir::Value();
}

template <class Product>
struct BiasIntoProduct : mlir::OpRewritePattern<layer::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::BinaryOp add, mlir::PatternRewriter &rewriter) const override {
    if (add.getKind().getValue() != BinaryFunction::add)
      return mlir::failure();
    for (const unsigned side : {0u, 1u}) {
      auto product = add->getOperand(side).getDefiningOp<Product>();
      const mlir::Value constant = add->getOperand(1 - side);
      if (!product || !product->hasOneUse() || product.getBias() || product.getAddend() ||
          product.getFunction() || product.getType() != add.getType() || !isPlainSum(product) ||
          !takesBias(product))
        continue;
      LayerBuilder to(rewriter, constant.getLoc());
      const mlir::Value bias = vectorOf(constant, shapeOf(product).back(), to);
      if (!bias)
        continue;
      mlir::Operation *fused = rewriter.clone(*product);
      llvm::cast<Product>(fused).getBiasMutable().assign(bias);
      llvm::cast<Product>(fused).setFunctionAttr(add.getFunctionAttr());
      fused->setLoc(graph::fusedLocation({product.getLoc(), add.getLoc()}));
      rewriter.replaceOp(add, fused->getResults());
      return mlir::success();
    }
    return mlir::failure();
  }

  // Whether the product's sums are stored without requantisation: as floats, from floats, or as 32-bit
  // integers.
  static bool isPlainSum(Product product) {
    const mlir::Type result = product.getType().getElementType();
    return result.isInteger(32) || (llvm::isa<mlir::FloatType>(result) &&
                                    llvm::isa<mlir::FloatType>(layer::elementOf(product->getOperand(0))));
  }
  // Whether the product can start from a bias: a product with a stack of weight matrices cannot.
  static bool takesBias(layer::MatMulOp product) { return shapeOf(product.getB()).size() == 2; }
  static bool takesBias(layer::ConvOp) { return true; }
};

struct FuseBiasesPass : impl::FuseBiasesBase<FuseBiasesPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<BiasIntoProduct<layer::MatMulOp>, BiasIntoProduct<layer::ConvOp>>(&getContext());
    if (mlir::failed(mlir::applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
