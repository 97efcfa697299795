// A plugin with two passes: `fuse-tanh-gelu`, and `fuse-tanh-gelu-wrong`, which has a bug.
//
// Many language models (GPT-2, and what was derived from it) use an approximation of GELU,
//
//   0.5 * x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))
//
// which exporters write as eight operations or so, in an order of their own. The compiler fuses only the exact
// GELU, with erf. This pass fuses the approximation to graph.gelu with the attribute `tanh`.
//
// The wrong pass forgets this attribute, so the result is the exact GELU. It is the kind of bug that the usual
// tests miss: the results differ by less than 0.0005.
#include "compiler/Graph/Transforms/Constants.h"
#include "compiler/Graph/Transforms/Fusion.h"

#include <array>
#include <cmath>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/Remarks.h>
#include <mlir/Pass/Pass.h>
#include <mlir/Tools/Plugins/PassPlugin.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>
#include <numbers>

namespace {

using namespace tilerig::compiler;

// A polynomial of degree 3: the coefficients of 1, x, x^2 and x^3.
using Cubic = std::array<double, 4>;
using MaybeCubic = std::optional<Cubic>;

// The product of two polynomials; empty if its degree is larger than 3.
MaybeCubic product(const MaybeCubic &a, const MaybeCubic &b) {
  if (!a || !b)
    return {};
  Cubic result{};
  for (size_t i = 0; i < a->size(); ++i)
    for (size_t j = 0; j < b->size(); ++j)
      if (i + j < result.size())
        result[i + j] += (*a)[i] * (*b)[j];
      else if ((*a)[i] * (*b)[j] != 0)
        return {};
  return result;
}

MaybeCubic sum(const MaybeCubic &a, const MaybeCubic &b) {
  if (!a || !b)
    return {};
  Cubic result;
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = (*a)[i] + (*b)[i];
  return result;
}

// How deep the search follows nested operations; no exporter nests the operations of a GELU deeper.
constexpr unsigned mostNested = 6;

// `value` as a polynomial in x, if it is computed by additions, products and powers from x and from constants.
MaybeCubic polynomialIn(mlir::Value x, mlir::Value value, unsigned nested = mostNested) {
  if (value == x)
    return Cubic{0, 1, 0, 0};
  if (const auto constant = scalarOf(value))
    return Cubic{*constant, 0, 0, 0};
  mlir::Operation *const operation = value.getDefiningOp();
  if (!nested || !llvm::isa_and_nonnull<graph::AddOp, graph::MulOp, graph::DivOp, graph::PowOp>(operation))
    return {};
  const MaybeCubic a = polynomialIn(x, operation->getOperand(0), nested - 1);
  const mlir::Value second = operation->getOperand(1);
  if (llvm::isa<graph::PowOp>(operation)) {
    const auto exponent = scalarOf(second);
    return exponent == 3 ? product(a, product(a, a)) : exponent == 2 ? product(a, a) : MaybeCubic();
  }
  if (llvm::isa<graph::DivOp>(operation)) {
    const auto divisor = scalarOf(second);
    return divisor ? product(a, Cubic{1 / *divisor, 0, 0, 0}) : MaybeCubic();
  }
  const MaybeCubic b = polynomialIn(x, second, nested - 1);
  return llvm::isa<graph::AddOp>(operation) ? sum(a, b) : product(a, b);
}

// The factor `1 + tanh(...)` of a product, which may be nested, and the polynomial of all other factors.
struct Gate {
  mlir::Value argument; // argument of the function tanh
  MaybeCubic factor;
};

// The argument of tanh if `value` is 1 + tanh(argument).
mlir::Value gateArgument(mlir::Value value) {
  auto addition = value.getDefiningOp<graph::AddOp>();
  for (unsigned i = 0; addition && i < 2; ++i)
    if (auto tanh = addition->getOperand(i).getDefiningOp<graph::TanhOp>())
      if (isNumber(addition->getOperand(1 - i), 1))
        return tanh.getInput();
  return {};
}

std::optional<Gate> gateIn(mlir::Value x, mlir::Value value, unsigned nested = mostNested) {
  if (const mlir::Value argument = gateArgument(value))
    return Gate{argument, Cubic{1, 0, 0, 0}};
  auto factors = value.getDefiningOp<graph::MulOp>();
  for (unsigned i = 0; factors && nested && i < 2; ++i)
    if (auto gate = gateIn(x, factors->getOperand(i), nested - 1)) {
      gate->factor = product(gate->factor, polynomialIn(x, factors->getOperand(1 - i)));
      return gate;
    }
  return {};
}

// All values from which `value` is computed by arithmetic: one of them is the x of a GELU.
void collectOperands(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &operands,
                     unsigned nested = mostNested) {
  if (scalarOf(value) || llvm::is_contained(operands, value))
    return;
  operands.push_back(value);
  mlir::Operation *const operation = value.getDefiningOp();
  if (nested &&
      llvm::isa_and_nonnull<graph::AddOp, graph::MulOp, graph::DivOp, graph::PowOp, graph::TanhOp>(operation))
    for (mlir::Value operand : operation->getOperands())
      collectOperands(operand, operands, nested - 1);
}

// Name and category of a remark; `tilerig-opt --remarks-filter=gelu` prints remarks of this category.
constexpr mlir::remark::RemarkOpts about(llvm::StringRef event) {
  return mlir::remark::RemarkOpts::name(event).category("gelu");
}

struct TanhGelu : mlir::OpRewritePattern<graph::MulOp> {
  TanhGelu(mlir::MLIRContext *context, double tolerance, bool usesTanh)
      : OpRewritePattern(context), tolerance(tolerance), usesTanh(usesTanh) {}

  mlir::LogicalResult matchAndRewrite(graph::MulOp root, mlir::PatternRewriter &rewriter) const override {
    llvm::SmallVector<mlir::Value> candidates;
    collectOperands(root, candidates);
    const auto *const x = llvm::find_if(candidates, [&](mlir::Value value) {
      return value.getType() == root.getType() && isGelu(root, value);
    });
    if (x == candidates.end())
      return mlir::failure();
    const Operations operations = between(*x, root);
    if (!isPrivate(operations)) {
      mlir::remark::missed(root.getLoc(), about("read-elsewhere"))
          << "GELU not fused: other operations read its intermediate results";
      return mlir::failure();
    }
    mlir::remark::passed(root.getLoc(), about("fused"))
        << "GELU fused" << mlir::remark::metric("Operations", operations.size());
    fuseInto<graph::GeluOp>(rewriter, root, *x, *x, usesTanh);
    return mlir::success();
  }

private:
  bool isGelu(mlir::Value value, mlir::Value x) const {
    const auto gate = gateIn(x, value);
    const double scale = std::sqrt(2 / std::numbers::pi);
    return gate && isNear(gate->factor, {0, 0.5, 0, 0}) &&
           isNear(polynomialIn(x, gate->argument), {0, scale, 0, 0.044715 * scale});
  }
  bool isNear(const MaybeCubic &polynomial, const Cubic &wanted) const {
    for (size_t i = 0; polynomial && i < wanted.size(); ++i)
      if (std::abs((*polynomial)[i] - wanted[i]) > tolerance * wanted[i])
        return false;
    return polynomial.has_value();
  }

  double tolerance;
  bool usesTanh;
};

template <class Derived, bool usesTanh>
struct FuseTanhGeluBase : mlir::PassWrapper<Derived, mlir::OperationPass<mlir::func::FuncOp>> {
  using Wrapper = mlir::PassWrapper<Derived, mlir::OperationPass<mlir::func::FuncOp>>;
  FuseTanhGeluBase() = default;
  // The copy constructor does not copy the options: MLIR does this itself after it has copied a pass.
  FuseTanhGeluBase(const FuseTanhGeluBase &other) : Wrapper(other) {}

  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&this->getContext());
    patterns.add<TanhGelu>(&this->getContext(), tolerance, usesTanh);
    if (mlir::failed(mlir::applyPatternsGreedily(this->getOperation(), std::move(patterns))))
      this->signalPassFailure();
  }

  mlir::Pass::Option<double> tolerance{
      *this, "tolerance", llvm::cl::desc("largest relative difference of a constant from that of GELU"),
      llvm::cl::init(1e-6)};
};

struct FuseTanhGelu : FuseTanhGeluBase<FuseTanhGelu, true> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseTanhGelu)
  llvm::StringRef getArgument() const override { return "fuse-tanh-gelu"; }
  llvm::StringRef getDescription() const override {
    return "replaces x / 2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))), in any order of its operations, by gelu";
  }
};

struct FuseTanhGeluWrong : FuseTanhGeluBase<FuseTanhGeluWrong, false> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseTanhGeluWrong)
  llvm::StringRef getArgument() const override { return "fuse-tanh-gelu-wrong"; }
  llvm::StringRef getDescription() const override {
    return "does the same, but forgets that the result is an approximation";
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "fuse-tanh-gelu", "1", [] {
            mlir::PassRegistration<FuseTanhGelu>();
            mlir::PassRegistration<FuseTanhGeluWrong>();
          }};
}
