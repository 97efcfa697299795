#include "compiler/Graph/Transforms/Constants.h"
#include "compiler/Graph/Transforms/Fusion.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <cmath>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FUSEGELU
#include "compiler/Passes/Passes.h.inc"

namespace {

// The factors (up to four) of nested multiplications: the product of all constant factors, and a list of the
// other factors. A division by a constant counts as a multiplication by its reciprocal.
struct Factors {
  double constant = 1;
  llvm::SmallVector<mlir::Value> rest;
};

void collect(mlir::Value value, unsigned depth, Factors &factors) {
  auto product = value.getDefiningOp<graph::MulOp>();
  auto quotient = value.getDefiningOp<graph::DivOp>();
  if (const auto scalar = scalarOf(value)) {
    factors.constant *= *scalar;
  } else if (product && depth > 0) {
    collect(product.getA(), depth - 1, factors);
    collect(product.getB(), depth - 1, factors);
  } else if (quotient && depth > 0 && scalarOf(quotient.getB())) {
    factors.constant /= *scalarOf(quotient.getB());
    collect(quotient.getA(), depth - 1, factors);
  } else {
    factors.rest.push_back(value);
  }
}

// Whether a constant has the wanted value. The tolerance allows for the rounding of constants to float.
bool isNear(double value, double wanted) { return std::abs(value - wanted) <= 1e-6 * wanted; }

// Whether `value` is erf(x / sqrt(2)) + 1.
bool isGeluGate(mlir::Value value, mlir::Value x) {
  auto sum = value.getDefiningOp<graph::AddOp>();
  if (!sum)
    return false;
  for (mlir::Value operand : sum->getOperands()) {
    auto erf = operand.getDefiningOp<graph::ErfOp>();
    if (!erf || !isNumber(other(sum, operand), 1))
      continue;
    Factors inside;
    collect(erf.getInput(), 1, inside);
    if (inside.rest.size() == 1 && inside.rest[0] == x && isNear(inside.constant, std::sqrt(0.5)))
      return true;
  }
  return false;
}

struct Gelu : mlir::OpRewritePattern<graph::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::MulOp product, mlir::PatternRewriter &rewriter) const override {
    Factors factors;
    collect(product, 2, factors);
    if (factors.rest.size() != 2 || !isNear(factors.constant, 0.5))
      return mlir::failure();
    for (unsigned i : {0u, 1u}) {
      const mlir::Value x = factors.rest[i];
      if (x.getType() != product.getType() || !isGeluGate(factors.rest[1 - i], x))
        continue;
      fuseInto<graph::GeluOp>(rewriter, product, x, x, /*tanh=*/false);
      return mlir::success();
    }
    return mlir::failure();
  }
};

struct FuseGeluPass : impl::FuseGeluBase<FuseGeluPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<Gelu>(&getContext());
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
