#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/IR/DecisionAttributes.h"
#include "compiler/Layer/IR/LayerKind.h"
#include "compiler/Layer/IR/Quantised.h"
#include "compiler/Layer/Transforms/NotFused.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <fmt/core.h>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FUSEADDENDS
#include "compiler/Passes/Passes.h.inc"

namespace {

bool isQuantised(mlir::Value value) { return static_cast<bool>(layer::quantisedOf(layer::elementOf(value))); }

// Replaces product and addition by one product with an addend, at the place of the addition, where the addend
// is already computed. The quantised result type of the old product becomes the intermediate type (`middle`)
// of the new one, to which its sums are quantised before the addend is added.
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

// The reason why the product, whose result is a summand of the addition, cannot add the other summand in its
// epilogue; empty if it can. Product and addition together may have at most one activation function. It may
// only clamp, because an integer layer has no scale for the argument of any other function, except if
// `anyFunction` says that floats stay floats.
template <class Product>
std::string addendRefusal(Product product, mlir::Value addend, layer::BinaryOp add, bool anyFunction) {
  if (std::string readers = otherReadersOf(product); !readers.empty())
    return readers;
  const std::string kind = kindOf(product);
  if (product.getAddend())
    return fmt::format("the epilogue of {} already adds a tensor", kind);
  if (product.getFunction() && add.getFunction())
    return usedByFunction(product, product.getFunctionAttr());
  for (const auto function : {product.getFunctionAttr(), add.getFunctionAttr()})
    if (!layer::isBound(function) && (!anyFunction || isQuantised(product.getOutput())))
      return fmt::format("with an addend, the epilogue of {} can apply only functions that clamp", kind);
  if (isQuantised(product.getOutput())) {
    if (product.getMiddle())
      return fmt::format("the sum of {} already has a scale of its own", kind);
    if (!isQuantised(addend) || !isQuantised(add.getOutput()))
      return fmt::format("the result of {} is quantised, the other summand or the sum is not", kind);
    if (graph::shapeOf(product.getOutput()) != graph::shapeOf(add.getOutput()))
      return otherType(product);
    return graph::shapeOf(addend) == graph::shapeOf(add.getOutput()) ? ""
                                                                     : "the other summand has another shape";
  }
  if (product.getType() != add.getType())
    return otherType(product);
  if (!llvm::isa<mlir::FloatType>(add.getType().getElementType()))
    return fmt::format("the epilogue of {} does not add integers without scales", kind);
  return addend.getType() == add.getType() ? "" : "the other summand has another type or shape";
}

// The reason why the addition is not fused into the product that computes operand `side`. Empty if it can be
// fused; nullopt if a product does not compute operand `side`.
std::optional<std::string> addendRefusal(layer::BinaryOp add, unsigned side, bool anyFunction) {
  mlir::Operation *const producer = add->getOperand(side).getDefiningOp();
  if (!producer)
    return std::nullopt;
  return llvm::TypeSwitch<mlir::Operation *, std::optional<std::string>>(producer)
      .Case<layer::ConvOp, layer::MatMulOp>(
          [&](auto product) { return addendRefusal(product, add->getOperand(1 - side), add, anyFunction); })
      .Default([](mlir::Operation *) { return std::nullopt; });
}

bool isSum(layer::BinaryOp layer) { return layer.getKind().getValue() == BinaryFunction::add; }

struct AddendIntoProduct : mlir::OpRewritePattern<layer::BinaryOp> {
  AddendIntoProduct(mlir::MLIRContext *context, bool anyFunction)
      : OpRewritePattern(context), anyFunction(anyFunction) {}

  mlir::LogicalResult matchAndRewrite(layer::BinaryOp add, mlir::PatternRewriter &rewriter) const override {
    if (!isSum(add) || add.getA() == add.getB())
      return mlir::failure();
    // If products compute both operands of the addition, the addition is fused into the later one, which then
    // reads the other one's result.
    mlir::Operation *a = add.getA().getDefiningOp(), *b = add.getB().getDefiningOp();
    const bool isSecondLater = a && b && a->isBeforeInBlock(b);
    for (const unsigned side : {isSecondLater ? 1u : 0u, isSecondLater ? 0u : 1u}) {
      if (addendRefusal(add, side, anyFunction) != "")
        continue;
      const mlir::Value addend = add->getOperand(1 - side);
      mlir::Operation *const product = add->getOperand(side).getDefiningOp();
      mlir::Operation *const fused =
          llvm::TypeSwitch<mlir::Operation *, mlir::Operation *>(product)
              .Case<layer::ConvOp, layer::MatMulOp>([&](auto op) { return fuse(op, addend, add, rewriter); });
      rewriter.replaceOp(add, fused->getResults());
      return mlir::success();
    }
    return mlir::failure();
  }

private:
  bool anyFunction;
};

struct FuseAddendsPass : impl::FuseAddendsBase<FuseAddendsPass> {
  using FuseAddendsBase::FuseAddendsBase;

  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<AddendIntoProduct>(&getContext(), anyFunction);
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation().walk([&](layer::BinaryOp add) {
      // Constant addends are left to the pass fuse-biases, which runs earlier. If it could not turn a
      // constant into a bias, it has recorded the reason.
      if (isSum(add) && !add->hasAttr(notFusedAttribute))
        recordNotFused(add, getArgumentName(), refusalsOf(add));
    });
  }

  std::vector<std::string> refusalsOf(layer::BinaryOp add) const {
    std::vector<std::string> refusals;
    for (const unsigned side : {0u, 1u})
      if (const auto refusal = addendRefusal(add, side, anyFunction))
        refusals.push_back(*refusal);
    return refusals;
  }
};

} // namespace

} // namespace tilerig::compiler
