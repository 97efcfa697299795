#include "compiler/Graph/IR/NotUnrolled.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Transforms/RecurrentCells.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <fmt/core.h>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_UNROLLRECURRENCES
#include "compiler/Passes/Passes.h.inc"

namespace {

using graph::Direction;

template <class Op>
Recurrence recurrenceOf(Op op) {
  Recurrence layer{.input = op.getInput(),
                   .weights = op.getWeights(),
                   .recurrence = op.getRecurrence(),
                   .bias = op.getBias(),
                   .lengths = op.getLengths(),
                   .initialState = op.getInitialState(),
                   .direction = op.getDirection(),
                   .hidden = static_cast<int64_t>(op.getHidden()),
                   .functions = cellFunctions(op.getActivations(), op.getAlphas(), op.getBetas()),
                   .clip = op.getClip().convertToFloat()};
  if constexpr (std::is_same_v<Op, graph::LstmOp>) {
    layer.initialCell = op.getInitialCell();
    layer.peepholes = op.getPeepholes();
    layer.inputForget = op.getInputForget();
  }
  if constexpr (std::is_same_v<Op, graph::GruOp>)
    layer.linearBeforeReset = op.getLinearBeforeReset();
  return layer;
}

std::unique_ptr<Cell> cellOf(graph::LstmOp, const Recurrence &layer, ElementBuilder &to) {
  return lstmCell(layer, to);
}
std::unique_ptr<Cell> cellOf(graph::GruOp, const Recurrence &layer, ElementBuilder &to) {
  return gruCell(layer, to);
}
std::unique_ptr<Cell> cellOf(graph::RnnOp, const Recurrence &layer, ElementBuilder &to) {
  return rnnCell(layer, to);
}

// The number of steps of all sequences; empty if it is not known, or if it differs between sequences.
std::optional<int64_t> lengthOf(const Recurrence &layer) {
  if (!layer.lengths)
    return layer.steps();
  auto constant = layer.lengths.getDefiningOp<graph::ConstantOp>();
  if (!constant)
    return {};
  const Tensor lengths = tensorOf(constant.getValue());
  const auto numbers = lengths.as<int32_t>();
  if (numbers.empty() || std::ranges::count(numbers, numbers[0]) != std::ssize(numbers))
    return {};
  return numbers[0];
}

// Creates the operations that compute a recurrent layer.
class Unroller {
public:
  Unroller(const Recurrence &layer, int64_t length, ElementBuilder &to)
      : layer(layer), length(length), to(to) {}

  void run(Cell &cell) {
    const mlir::Value products = cell.inputProducts(rows());
    last = {initial(layer.initialState), initial(layer.initialCell)};
    for (int64_t step = 0; step < length; ++step) {
      last = cell.step(last, inState(to.slice(products, 2, step * layer.batch(), layer.batch())));
      hidden.push_back(last.hidden);
    }
  }

  // The first result of the layer: axes steps, directions, batch, hidden units.
  mlir::Value output() {
    mlir::Value all =
        to.reshape(to.concat(hidden, 1), {layer.directions(), length, layer.batch(), layer.hidden});
    if (layer.direction == Direction::reverse)
      all = to.reverse(all, 1);
    if (layer.direction == Direction::bidirectional) {
      const mlir::Value both[] = {to.slice(all, 0, 0, 1), to.reverse(to.slice(all, 0, 1, 1), 1)};
      all = to.concat(both, 0);
    }
    all = layer.directions() == 1 ? to.reshape(all, {length, 1, layer.batch(), layer.hidden})
                                  : to.transpose(all, {1, 0, 2, 3});
    return to.padEnd(all, 0, layer.steps() - length);
  }
  mlir::Value lastHidden() { return withoutGates(last.hidden); }
  mlir::Value lastCell() { return withoutGates(last.cell); }

private:
  // The inputs in the order in which each direction reads them: axes directions, 1, steps x batch, features.
  mlir::Value rows() {
    const mlir::Value input = to.slice(layer.input, 0, 0, length);
    const auto ofDirection = [&](bool isReverse) {
      return to.reshape(isReverse ? to.reverse(input, 0) : input,
                        {1, 1, length * layer.batch(), layer.features()});
    };
    if (layer.direction != Direction::bidirectional)
      return ofDirection(layer.direction == Direction::reverse);
    const mlir::Value both[] = {ofDirection(false), ofDirection(true)};
    return to.concat(both, 0);
  }
  mlir::Value initial(mlir::Value state) {
    return state ? inState(to.reshape(state, {layer.directions(), 1, layer.batch(), layer.hidden})) : state;
  }
  // Rows of hidden units in the order of axes that states have.
  mlir::Value inState(mlir::Value rows) {
    ElementBuilder::Dims shape(graph::shapeOf(rows));
    if (layer.hasColumns())
      std::swap(shape[2], shape[3]);
    return to.reshape(rows, shape);
  }
  mlir::Value withoutGates(mlir::Value state) {
    return to.reshape(state, {layer.directions(), layer.batch(), layer.hidden});
  }

  const Recurrence &layer;
  int64_t length;
  ElementBuilder &to;
  CellState last;
  llvm::SmallVector<mlir::Value> hidden; // the hidden state after each step
};

// Why a layer is not unrolled; empty if it is.
std::string refusalOf(const Recurrence &layer, int64_t maxSteps) {
  const std::optional<int64_t> length = lengthOf(layer);
  if (!length)
    return "its sequences differ in length, or their lengths are not constant";
  if (*length < 1 || *length > layer.steps() || layer.batch() < 1 || layer.features() < 1)
    return "it has no steps, or a wrong number of steps";
  if (*length > maxSteps)
    return fmt::format("it has {} steps, and at most {} are unrolled", *length, maxSteps);
  if (graph::tensorType(layer.input).getElementType().isF64())
    return "it computes in double precision";
  if (const auto other = llvm::find_if_not(layer.functions, isKnown); other != layer.functions.end())
    return fmt::format("activation '{}' is not known", other->name);
  return {};
}

template <class Op>
struct Unroll : mlir::OpRewritePattern<Op> {
  Unroll(mlir::MLIRContext *context, int64_t maxSteps)
      : mlir::OpRewritePattern<Op>(context), maxSteps(maxSteps) {}

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    const Recurrence layer = recurrenceOf(op);
    if (const std::string reason = refusalOf(layer, maxSteps); !reason.empty())
      return rewriter.notifyMatchFailure(op, reason);
    ElementBuilder to(rewriter, op);
    Unroller unroller(layer, *lengthOf(layer), to);
    unroller.run(*cellOf(op, layer, to));
    llvm::SmallVector<mlir::Value> results = {unroller.output(), unroller.lastHidden()};
    if (op->getNumResults() > 2)
      results.push_back(unroller.lastCell());
    for (const auto [index, result] : llvm::enumerate(results))
      if (const std::string name = graph::resultName(op.getLoc(), static_cast<unsigned>(index));
          !name.empty())
        result.getDefiningOp()->setLoc(graph::withTensor(result.getLoc(), graph::TensorOrigin{name, {}}));
    rewriter.replaceOp(op, results);
    return mlir::success();
  }

private:
  int64_t maxSteps;
};

struct UnrollRecurrencesPass : impl::UnrollRecurrencesBase<UnrollRecurrencesPass> {
  using UnrollRecurrencesBase::UnrollRecurrencesBase;

  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<Unroll<graph::LstmOp>, Unroll<graph::GruOp>, Unroll<graph::RnnOp>>(&getContext(), maxSteps);
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      return signalPassFailure();
    // The report quotes why a layer runs on the host.
    getOperation().walk([&](mlir::Operation *operation) {
      llvm::TypeSwitch<mlir::Operation *>(operation).Case<graph::LstmOp, graph::GruOp, graph::RnnOp>(
          [&](auto op) {
            if (const std::string reason = refusalOf(recurrenceOf(op), maxSteps); !reason.empty())
              op->setDiscardableAttr(graph::notUnrolledAttribute,
                                     mlir::StringAttr::get(&getContext(), reason));
          });
    });
  }
};

} // namespace

} // namespace tilerig::compiler
