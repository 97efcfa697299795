#include "compiler/Graph/IR/NotUnrolled.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Transforms/Constants.h"
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

mlir::Value beforeReshapes(mlir::Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getInput();
  return value;
}

// The inputs of the steps of a layer, in the order of its steps, if they are computed one after another in this order,
// as by the steps of another recurrent layer; else empty. Then no step has to wait for all inputs, so that both layers
// run at the same time. A layer of two directions needs the first and the last input in its first step.
llvm::SmallVector<mlir::Value> inputsInTurn(const Recurrence &layer, int64_t length) {
  const mlir::Value all = beforeReshapes(layer.input);
  auto concat = all.getDefiningOp<graph::ConcatOp>();
  if (!concat || layer.directions() > 1 || length != layer.steps() || length < 2 ||
      static_cast<int64_t>(concat.getInputs().size()) != length)
    return {};
  const llvm::ArrayRef<int64_t> shape = graph::shapeOf(all);
  if (llvm::any_of(shape.take_front(concat.getAxis()), [](int64_t size) { return size != 1; }) ||
      shape[concat.getAxis()] != length)
    return {};
  llvm::SmallVector<mlir::Value> inputs(concat.getInputs());
  if (layer.direction == Direction::reverse)
    std::reverse(inputs.begin(), inputs.end());
  for (size_t i = 0; i < inputs.size(); ++i) {
    mlir::Operation *const operation = inputs[i].getDefiningOp();
    if (!operation || (i > 0 && !inputs[i - 1].getDefiningOp()->isBeforeInBlock(operation)))
      return {};
  }
  return inputs;
}

// Creates the operations that compute a recurrent layer.
class Unroller {
public:
  // `inputs`: if the layer is stepwise, the input of each step.
  Unroller(const Recurrence &layer, int64_t length, mlir::ValueRange inputs, ElementBuilder &to)
      : layer(layer), length(length), inputs(inputs), to(to) {}

  void run(Cell &cell) {
    const mlir::Value products = layer.isStepwise ? mlir::Value() : cell.inputProducts(rows());
    last = {initial(layer.initialState), initial(layer.initialCell)};
    for (int64_t step = 0; step < length; ++step) {
      last = cell.step(last, layer.isStepwise ? cell.inputProducts(input(step))
                                              : inState(productsOf(step, products)));
      hidden.push_back(last.hidden);
    }
  }

  // The first result of the layer: axes steps, directions, batch, hidden units.
  mlir::Value output() {
    llvm::SmallVector<mlir::Value> byDirection;
    for (int64_t direction = 0; direction < layer.directions(); ++direction) {
      llvm::SmallVector<mlir::Value> states;
      for (int64_t index = 0; index < length; ++index)
        states.push_back(to.slice(hidden[at(direction, index)], 0, direction, 1));
      byDirection.push_back(to.concat(states, 1));
    }
    mlir::Value all =
        to.reshape(to.concat(byDirection, 0), {layer.directions(), length, layer.batch(), layer.hidden});
    all = layer.directions() == 1 ? to.reshape(all, {length, 1, layer.batch(), layer.hidden})
                                  : to.transpose(all, {1, 0, 2, 3});
    return to.padEnd(all, 0, layer.steps() - length);
  }
  mlir::Value lastHidden() { return withoutGates(last.hidden); }
  mlir::Value lastCell() { return withoutGates(last.cell); }

private:
  // The inputs of all directions: axes 1, 1, steps x batch, features.
  mlir::Value rows() {
    return to.reshape(to.slice(layer.input, 0, 0, length), {1, 1, length * layer.batch(), layer.features()});
  }
  mlir::Value input(int64_t step) {
    return inState(to.reshape(inputs[step], {1, 1, layer.batch(), layer.features()}));
  }
  // The step in which a direction reads the input number `index`.
  int64_t at(int64_t direction, int64_t index) const {
    const bool isReverse = direction == 1 || layer.direction == Direction::reverse;
    return isReverse ? length - 1 - index : index;
  }
  // The rows of inputProducts() that a step needs. They are picked in the order in which each direction reads its
  // inputs, so no input has to be reversed.
  mlir::Value productsOf(int64_t step, mlir::Value products) {
    llvm::SmallVector<mlir::Value> rows;
    for (int64_t direction = 0; direction < layer.directions(); ++direction)
      rows.push_back(to.slice(to.slice(products, 0, direction, 1), 2, at(direction, step) * layer.batch(),
                              layer.batch()));
    return to.concat(rows, 0);
  }
  // The initial state; null if it is known to be zero.
  mlir::Value initial(mlir::Value state) {
    return state && !isNumber(state, 0)
               ? inState(to.reshape(state, {layer.directions(), 1, layer.batch(), layer.hidden}))
               : mlir::Value();
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
  mlir::ValueRange inputs;
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

// Whether another recurrent layer that will be unrolled computes the input.
bool readsOtherLayer(const Recurrence &layer, int64_t maxSteps) {
  mlir::Operation *const producer = beforeReshapes(layer.input).getDefiningOp();
  return producer && llvm::TypeSwitch<mlir::Operation *, bool>(producer)
                         .Case<graph::LstmOp, graph::GruOp, graph::RnnOp>(
                             [&](auto op) { return refusalOf(recurrenceOf(op), maxSteps).empty(); })
                         .Default([](mlir::Operation *) { return false; });
}

template <class Op>
struct Unroll : mlir::OpRewritePattern<Op> {
  // `*hasStepwise` becomes true if a layer is unrolled step by step beside the layer that computes its input.
  Unroll(mlir::MLIRContext *context, int64_t maxSteps, bool *hasStepwise)
      : mlir::OpRewritePattern<Op>(context), maxSteps(maxSteps), hasStepwise(hasStepwise) {}

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    Recurrence layer = recurrenceOf(op);
    if (const std::string reason = refusalOf(layer, maxSteps); !reason.empty())
      return rewriter.notifyMatchFailure(op, reason);
    if (readsOtherLayer(layer, maxSteps))
      return rewriter.notifyMatchFailure(op, "the layer that computes its input is unrolled first");
    ElementBuilder to(rewriter, op);
    const int64_t length = *lengthOf(layer);
    const llvm::SmallVector<mlir::Value> inputs = inputsInTurn(layer, length);
    layer.isStepwise = !inputs.empty();
    *hasStepwise |= layer.isStepwise;
    Unroller unroller(layer, length, inputs, to);
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
  bool *hasStepwise;
};

// Sorts operations by the number of operations on the longest path before them. So the steps of layers that run at
// the same time alternate, as the tasks of a tile follow the order of the text.
void sortByDepth(mlir::Block &block) {
  llvm::DenseMap<mlir::Operation *, int64_t> depths;
  llvm::SmallVector<mlir::Operation *> operations;
  for (mlir::Operation &operation : block.without_terminator()) {
    int64_t depth = 0;
    for (const mlir::Value operand : operation.getOperands())
      if (const auto before = depths.find(operand.getDefiningOp()); before != depths.end())
        depth = std::max(depth, before->second + 1);
    depths[&operation] = depth;
    operations.push_back(&operation);
  }
  llvm::stable_sort(operations,
                    [&](mlir::Operation *a, mlir::Operation *b) { return depths[a] < depths[b]; });
  for (mlir::Operation *const operation : operations)
    operation->moveBefore(block.getTerminator());
}

struct UnrollRecurrencesPass : impl::UnrollRecurrencesBase<UnrollRecurrencesPass> {
  using UnrollRecurrencesBase::UnrollRecurrencesBase;

  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    bool hasStepwise = false;
    patterns.add<Unroll<graph::LstmOp>, Unroll<graph::GruOp>, Unroll<graph::RnnOp>>(&getContext(), maxSteps,
                                                                                    &hasStepwise);
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      return signalPassFailure();
    if (hasStepwise)
      sortByDepth(getOperation().front());
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
