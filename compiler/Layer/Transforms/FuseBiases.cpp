#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/IR/LayerBuilder.h"
#include "compiler/Layer/IR/LayerKind.h"
#include "compiler/Layer/IR/Types.h"
#include "compiler/Layer/Transforms/NotFused.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <fmt/core.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FUSEBIASES
#include "compiler/Passes/Passes.h.inc"

namespace {

using graph::shapeOf;

// Whether the value is a constant that varies only along the last axis, which has `outputs` elements.
bool isVector(mlir::Value value, int64_t outputs) {
  if (!elementsOf(value))
    return false;
  const auto shape = shapeOf(value);
  const int64_t count = graph::tensorType(value).getNumElements();
  return count == (shape.empty() ? 1 : shape.back()) && (count == 1 || count == outputs);
}

// Expands a constant that has one element, or one for each output, to a vector with one element for each
// output.
mlir::Value vectorOf(mlir::Value constant, int64_t outputs, LayerBuilder &to) {
  return to.expand(to.reshape(constant, {graph::tensorType(constant).getNumElements()}), {outputs});
}

// Whether the product stores its sums without requantising them: floats if its operands are floats, 32-bit
// integers if they are integers.
template <class Product>
bool isPlainSum(Product product) {
  const mlir::Type result = product.getType().getElementType();
  return result.isInteger(32) || (llvm::isa<mlir::FloatType>(result) &&
                                  llvm::isa<mlir::FloatType>(layer::elementOf(product->getOperand(0))));
}

// Whether the product can begin its sums with a bias. A product with a stack of weight matrices cannot.
bool takesBias(layer::MatMulOp product) { return shapeOf(product.getB()).size() == 2; }
bool takesBias(layer::ConvOp) { return true; }

// The reason why the product, whose result is added to a constant, cannot take the constant as its bias;
// empty if it can.
template <class Product>
std::string biasRefusal(Product product, mlir::Value constant, layer::BinaryOp add) {
  if (std::string readers = otherReadersOf(product); !readers.empty())
    return readers;
  const std::string kind = kindOf(product);
  if (product.getBias())
    return fmt::format("the sum of {} already starts with a bias", kind);
  if (product.getAddend())
    return fmt::format("the epilogue of {} already adds a tensor", kind);
  if (product.getFunction())
    return usedByFunction(product, product.getFunctionAttr());
  if (product.getType() != add.getType())
    return otherType(product);
  if (!isPlainSum(product))
    return fmt::format("the sum of {} is quantised before the constant is added", kind);
  if (!takesBias(product))
    return fmt::format("{} multiplies by a stack of matrices, so it has no bias", kind);
  return isVector(constant, shapeOf(product).back()) ? "" : "the constant is not one number for each output";
}

template <class Product>
struct BiasIntoProduct : mlir::OpRewritePattern<layer::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(layer::BinaryOp add, mlir::PatternRewriter &rewriter) const override {
    for (const unsigned side : {0u, 1u}) {
      if (refusalOf(add, side) != "")
        continue;
      auto product = add->getOperand(side).getDefiningOp<Product>();
      const mlir::Value constant = add->getOperand(1 - side);
      LayerBuilder to(rewriter, constant.getLoc());
      const mlir::Value bias = vectorOf(constant, shapeOf(product).back(), to);
      mlir::Operation *fused = rewriter.clone(*product);
      llvm::cast<Product>(fused).getBiasMutable().assign(bias);
      llvm::cast<Product>(fused).setFunctionAttr(add.getFunctionAttr());
      fused->setLoc(graph::fusedLocation({product.getLoc(), add.getLoc()}));
      rewriter.replaceOp(add, fused->getResults());
      return mlir::success();
    }
    return mlir::failure();
  }

  // The reason why the addition is not fused into the product that computes operand `side`. Empty if it can
  // be fused; nullopt if the operands are not a product's result and a constant.
  static std::optional<std::string> refusalOf(layer::BinaryOp add, unsigned side) {
    auto product = add->getOperand(side).getDefiningOp<Product>();
    const mlir::Value constant = add->getOperand(1 - side);
    if (add.getKind().getValue() != BinaryFunction::add || !product || !elementsOf(constant))
      return std::nullopt;
    return biasRefusal(product, constant, add);
  }
};

struct FuseBiasesPass : impl::FuseBiasesBase<FuseBiasesPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<BiasIntoProduct<layer::MatMulOp>, BiasIntoProduct<layer::ConvOp>>(&getContext());
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation().walk([](layer::BinaryOp add) {
      for (const unsigned side : {0u, 1u})
        for (const auto refusalOf :
             {BiasIntoProduct<layer::ConvOp>::refusalOf, BiasIntoProduct<layer::MatMulOp>::refusalOf})
          if (const auto refusal = refusalOf(add, side))
            recordNotFused(add, getArgumentName(), {*refusal});
    });
  }
};

} // namespace

} // namespace tilerig::compiler
