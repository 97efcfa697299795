// Places the transposes of a graph by a minimum cut. An operation that works with any axis order may compute
// on tensors in their present order or permuted, and transposes are needed where neighbours differ. For one
// permutation at a time, operations are nodes of a flow network between those that produce permuted tensors
// (source) and those that need the present order (sink); a minimum cut is the choice with the cheapest
// transposes.
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Transforms/Permutable.h"
#include "compiler/Graph/Transforms/Regroup.h"
#include "compiler/Graph/Transforms/TransposePatterns.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"
#include "compiler/Passes/Remarks.h"
#include "compiler/Passes/RewriteAction.h"
#include "compiler/Planning/Partition/LeastCut.h"
#include "isa/Base/Tensor/TakenElements.h"

#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_SINKTRANSPOSES
#include "compiler/Passes/Passes.h.inc"

namespace {

using namespace graph;

TransposeOp transposeBy(mlir::Value value, llvm::ArrayRef<int64_t> perm) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  return transpose && transpose.getPerm() == llvm::ArrayRef<int64_t>(perm) ? transpose : TransposeOp();
}

// The cost of transposing a value: its number of elements. Of two values with equally many elements, the one
// that is computed later costs less.
class Costs {
public:
  explicit Costs(mlir::Block &block) {
    for (mlir::Operation &operation : block)
      if (operation.getNumResults() != 1 || llvm::isa<ConstantOp, TransposeOp>(operation))
        depths[&operation] = depth;
      else
        depths[&operation] = ++depth;
  }

  int64_t of(mlir::Value value, bool movesNothing) const {
    const int64_t elements = movesNothing ? 0 : tensorType(value).getNumElements();
    while (auto transpose = value.getDefiningOp<TransposeOp>())
      value = transpose.getInput();
    const int64_t last = depth + 1, at = value.getDefiningOp() ? depths.lookup(value.getDefiningOp()) : 0;
    return elements * 2 * last * last + (last - at);
  }

private:
  llvm::DenseMap<mlir::Operation *, int64_t> depths;
  int64_t depth = 0;
};

int64_t costOf(mlir::Block &block) {
  const Costs costs(block);
  int64_t sum = 0;
  for (auto transpose : block.getOps<TransposeOp>())
    sum += costs.of(transpose.getInput(), movesNothing(shapeOf(transpose.getInput()), transpose.getPerm()));
  return sum;
}

// Chooses the operations that are to compute permuted tensors: a chosen operation will compute a permuted
// tensor u instead of its present result, which equals transpose(u, perm).
class Choice {
public:
  Choice(mlir::Block &block, llvm::ArrayRef<int64_t> perm) : perm(perm), back(inverse(perm)), costs(block) {
    for (mlir::Operation &operation : block)
      if (operation.getNumResults() == 1 && !llvm::isa<ConstantOp>(operation) &&
          isPermutable(&operation, perm.size()))
        nodes[&operation] = cut.addNode();
    for (mlir::BlockArgument argument : block.getArguments())
      addValue(argument);
    for (mlir::Operation &operation : block)
      for (mlir::Value result : operation.getResults())
        addValue(result);
  }

  // Computes the minimum cut of the flow network; returns whether its transposes cost less than the present
  // ones.
  bool solve() { return cut.solve() < today; }
  bool isPermuted(mlir::Operation *operation) const {
    const auto entry = nodes.find(operation);
    return entry != nodes.end() && cut.isOnSourceSide(entry->second);
  }

private:
  static constexpr size_t permutedNode = LeastCut::source, plainNode = LeastCut::sink;

  int64_t weightOf(mlir::Value value) const {
    return costs.of(value, movesNothing(permuted(shapeOf(value), back), perm));
  }

  // The flow network's node for the operation that computes a value; nullopt for constants, which can be
  // permuted at no cost.
  std::optional<size_t> giver(mlir::Value value) const {
    mlir::Operation *const operation = value.getDefiningOp();
    if (operation && llvm::isa<ConstantOp>(operation))
      return {};
    if (transposeBy(value, perm))
      return permutedNode;
    const auto entry = nodes.find(operation);
    return entry == nodes.end() ? plainNode : entry->second;
  }
  // The flow network's node for the operation that reads a value; nullopt if that operation accepts either
  // order of axes.
  std::optional<size_t> taker(mlir::OpOperand &use) const {
    mlir::Operation *const operation = use.getOwner();
    if (auto transpose = llvm::dyn_cast<TransposeOp>(operation))
      return transpose.getPerm() == llvm::ArrayRef<int64_t>(back) ? std::optional(permutedNode)
                                                                  : std::nullopt;
    if (takesEither(operation, perm))
      return {};
    const auto entry = nodes.find(operation);
    return entry != nodes.end() && llvm::is_contained(permutedOperands(operation), &use) ? entry->second
                                                                                         : plainNode;
  }

  // Adds the edges for a value to the flow network. A value is transposed at most once, since all operations
  // that need it transposed read the same transpose.
  void addValue(mlir::Value value) {
    if (shapeOf(value).size() != perm.size())
      return;
    const auto from = giver(value);
    llvm::SmallVector<size_t> takers;
    for (mlir::OpOperand &use : value.getUses())
      if (const auto to = taker(use); from && to && *to != *from)
        takers.push_back(*to);
    if (takers.empty())
      return;
    const int64_t weight = weightOf(value);
    addFrom(*from, takers, weight);
    addTo(*from, takers, weight);
    const bool isPermuted = *from == permutedNode;
    if (llvm::any_of(takers, [&](size_t to) { return (to == permutedNode) != isPermuted; }))
      today += weight;
  }
  // Adds the cost that arises if the value is computed permuted and some reader needs it in the present
  // order.
  void addFrom(size_t from, llvm::ArrayRef<size_t> takers, int64_t weight) {
    if (from == plainNode)
      return;
    const size_t all = cut.addNode();
    cut.addEdge(from, all, weight);
    for (size_t to : takers)
      if (to != permutedNode)
        cut.addEdge(all, to, LeastCut::never);
  }
  // Adds the cost that arises if the value is computed in the present order and some reader needs it
  // permuted.
  void addTo(size_t from, llvm::ArrayRef<size_t> takers, int64_t weight) {
    if (from == permutedNode)
      return;
    const size_t any = cut.addNode();
    cut.addEdge(any, from, weight);
    for (size_t to : takers)
      if (to != plainNode)
        cut.addEdge(to, any, LeastCut::never);
  }

  Order perm, back;
  LeastCut cut;
  llvm::DenseMap<mlir::Operation *, size_t> nodes;
  Costs costs;
  int64_t today = 0;
};

// Rewrites a block so that the chosen operations compute permuted tensors.
class Change {
public:
  Change(mlir::Block &block, llvm::ArrayRef<int64_t> perm, const Choice &choice)
      : block(block), perm(perm), back(inverse(perm)), builder(block.getParentOp()->getContext()) {
    for (mlir::Operation &operation : block) {
      operations.push_back(&operation);
      if (choice.isPermuted(&operation))
        chosen.insert(&operation);
      if (takesFirstEither(&operation))
        either.insert(&operation);
      if (auto transpose = llvm::dyn_cast<TransposeOp>(operation);
          transpose && transpose.getPerm() == llvm::ArrayRef<int64_t>(perm))
        transposeOperands[transpose.getOutput()] = transpose.getInput();
    }
  }

  void apply() {
    for (mlir::Operation *operation : operations)
      change(operation);
    for (auto [result, form] : undone)
      result.replaceAllUsesWith(form);
    for (mlir::Operation *operation : llvm::reverse(operations))
      if (llvm::isa<TransposeOp, ConstantOp>(operation) && operation->use_empty())
        operation->erase();
  }

private:
  bool takesFirstEither(mlir::Operation *operation) const {
    return operation->getNumOperands() > 0 && shapeOf(operation->getOperand(0)).size() == perm.size() &&
           takesEither(operation, perm);
  }
  bool isChosen(mlir::Value value) const {
    return value.getDefiningOp() && chosen.contains(value.getDefiningOp());
  }
  // Whether a value is available with permuted axes without adding a transpose.
  bool liesPermuted(mlir::Value value) const { return isChosen(value) || transposeOperands.contains(value); }

  void change(mlir::Operation *operation) {
    if (chosen.contains(operation)) {
      for (mlir::OpOperand *operand : permutedOperands(operation))
        operand->set(permutedForm(operand->get()));
      const auto tensor = tensorOrigin(operation->getResult(0));
      permuteAxes(operation, perm);
      operation->setLoc(withTensor(operation->getLoc(), transposed(tensor, back)));
      return;
    }
    for (mlir::OpOperand &operand : operation->getOpOperands())
      change(operation, operand);
  }
  void change(mlir::Operation *operation, mlir::OpOperand &operand) {
    const mlir::Value value = operand.get();
    const bool isFirst = operand.getOperandNumber() == 0 && shapeOf(value).size() == perm.size();
    auto transpose = llvm::dyn_cast<TransposeOp>(operation);
    if (transpose && isFirst && transpose.getPerm() == llvm::ArrayRef<int64_t>(back) && liesPermuted(value)) {
      undone.emplace_back(transpose.getOutput(), permutedForm(value));
    } else if (transpose && isFirst && isChosen(value) &&
               !transposeOperands.contains(transpose.getOutput())) {
      transpose.setPerm(permuted(perm, transpose.getPerm()));
    } else if (isFirst && liesPermuted(value) && either.contains(operation)) {
      operand.set(permutedForm(value));
      takePermuted(operation, perm);
    } else {
      operand.set(plainForm(value));
    }
  }

  // The value with its original order of axes: transpose(u, perm) if its operation now computes the permuted
  // form u, else the value itself.
  mlir::Value plainForm(mlir::Value value) {
    if (!isChosen(value))
      return value;
    mlir::Value &form = plain[value];
    if (!form)
      form = newTranspose(value, perm);
    return form;
  }
  // The permuted form u of a value, so that the value is transpose(u, perm).
  mlir::Value permutedForm(mlir::Value value) {
    if (isChosen(value))
      return value;
    if (const auto entry = transposeOperands.find(value); entry != transposeOperands.end())
      return plainForm(entry->second);
    mlir::Value &form = permutedOnes[value];
    if (!form)
      form = value.getDefiningOp<ConstantOp>() ? permutedConstant(value) : transposedBack(value);
    return form;
  }
  // Transposes the value by the permutation `back`, reusing an existing transpose if there is one.
  mlir::Value transposedBack(mlir::Value value) {
    for (mlir::Operation *user : value.getUsers())
      if (auto transpose = llvm::dyn_cast<TransposeOp>(user);
          transpose && transpose.getPerm() == llvm::ArrayRef<int64_t>(back)) {
        builder.setInsertionPointAfterValue(value);
        transpose->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
        return transpose.getOutput();
      }
    return newTranspose(value, back);
  }
  mlir::Value newTranspose(mlir::Value value, llvm::ArrayRef<int64_t> by) {
    builder.setInsertionPointAfterValue(value);
    const auto tensor = transposed(tensorOrigin(value), by);
    return TransposeOp::create(builder, locationBehind(value, tensor), permutedType(value, by), value, by);
  }
  // A new constant with the elements of the constant `value`, extended to full rank by leading axes of size 1
  // and then permuted.
  mlir::Value permutedConstant(mlir::Value value) {
    auto constant = value.getDefiningOp<ConstantOp>();
    const Tensor tensor = tensorOf(constant.getValue());
    tilerig::Shape shape(perm.size() - tensor.rank(), 1);
    shape.insert(shape.end(), tensor.shape().begin(), tensor.shape().end());
    const Tensor whole = *tensor.reshaped(shape);
    builder.setInsertionPointAfterValue(value);
    const Tensor moved = tilerig::transposed(whole, back);
    const auto origin = transposed(tensorOrigin(value), back);
    const bool isSameTensor = tensor.rank() == perm.size();
    return ConstantOp::create(builder, isSameTensor ? withTensor(value.getLoc(), origin) : value.getLoc(),
                              attributeOf(*builder.getContext(), moved, nodeName(value.getLoc())));
  }

  mlir::Block &block;
  Order perm, back;
  mlir::OpBuilder builder;
  std::vector<mlir::Operation *> operations;
  llvm::DenseSet<mlir::Operation *> chosen;
  // Operations that can take either order of axes (takesEither()), determined from the shapes before any
  // operation is changed.
  llvm::DenseSet<mlir::Operation *> either;
  llvm::DenseMap<mlir::Value, mlir::Value>
      transposeOperands; // for each transpose by `perm`, maps its result to its operand
  llvm::DenseMap<mlir::Value, mlir::Value> plain, permutedOnes;
  // Results of transposes that became redundant, with the values that replace them. The replacement happens
  // at the very end, because until then each value stands for its original tensor.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> undone;
};

// The distinct permutations of a block's transposes, in order of occurrence.
llvm::SmallVector<Order> permutations(mlir::Block &block) {
  llvm::SmallVector<Order> all;
  for (auto transpose : block.getOps<TransposeOp>())
    if (const Order perm(transpose.getPerm()); !llvm::is_contained(all, perm))
      all.push_back(perm);
  return all;
}

struct SinkTransposesPass : impl::SinkTransposesBase<SinkTransposesPass> {
  void runOnOperation() override {
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), patternsOf(addTransposePatterns))))
      return signalPassFailure();
    mlir::FailureOr<bool> isBetter = true;
    while (mlir::succeeded(isBetter) && *isBetter)
      isBetter = improve();
    if (mlir::failed(isBetter) ||
        mlir::failed(applyPatterns(getArgumentName(), getOperation(), patternsOf(addMovesNothingPattern))))
      signalPassFailure();
  }

  // Makes one change that lowers the total cost of transposes; returns false if no change does. The minimum
  // cut for one permutation ignores how transposes by other permutations change. So each change is tried on a
  // copy of the graph, and accepted only if the total cost falls.
  mlir::FailureOr<bool> improve() {
    mlir::func::FuncOp function = getOperation();
    for (const Order &perm : permutations(function.getBody().front())) {
      mlir::Block &block = function.getBody().front();
      if (!Choice(block, perm).solve())
        continue;
      mlir::OwningOpRef<mlir::func::FuncOp> copy = function.clone();
      if (mlir::failed(change(*copy, perm)))
        return mlir::failure();
      if (const int64_t before = costOf(block), after = costOf(copy->getBody().front()); after < before) {
        mlir::remark::passed(mlir::UnknownLoc::get(&getContext()), remarkOf(getArgumentName(), "Permute"))
            << mlir::remark::add("transposes move {0} elements instead of {1}", after, before);
        function.getBody().takeBody(copy->getBody());
        return true;
      }
    }
    return false;
  }

  mlir::LogicalResult change(mlir::func::FuncOp function, const Order &perm) {
    mlir::Block &block = function.getBody().front();
    Choice choice(block, perm);
    choice.solve();
    announceRewrite(function, "Permute", [&] { Change(block, perm, choice).apply(); });
    // MLIR's greedy driver also folds pairs of transposes into one. The applied patterns are not reported to
    // observers of rewrites, since this change is tried on a copy that may be dropped.
    return mlir::applyPatternsGreedily(function, patternsOf(addTransposePatterns));
  }

  mlir::RewritePatternSet patternsOf(void (*add)(mlir::RewritePatternSet &)) {
    mlir::RewritePatternSet patterns(&getContext());
    add(patterns);
    return patterns;
  }
};

} // namespace

} // namespace tilerig::compiler
