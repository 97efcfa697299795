// Lowering of Einsum to matrix products: the operands are multiplied one after another, and each product sums
// over the labels (letters of axes) that neither later operands nor the result need.
#include "compiler/Graph/IR/Einsum.h"
#include "compiler/Layer/FromGraph/Lowerings.h"
#include "compiler/Layer/FromGraph/Products.h"

namespace tilerig::compiler {

namespace {

using namespace graph;
using Labels = llvm::SmallVector<int>;

// An operand or intermediate result of an Einsum, with the label (letter) of each axis.
struct Term {
  mlir::Value value;
  Labels labels;

  bool has(int label) const { return llvm::is_contained(labels, label); }
  int64_t sizeOf(int label) const {
    return shapeOf(value)[static_cast<size_t>(llvm::find(labels, label) - labels.begin())];
  }
};

int64_t sizeOf(const Term &term, llvm::ArrayRef<int> labels) {
  int64_t size = 1;
  for (const int label : labels)
    size *= term.sizeOf(label);
  return size;
}

// The value of an Einsum operand with its axes transposed into the order of `labels`, a list that contains
// each of the operand's labels once.
mlir::Value inOrder(const Term &term, llvm::ArrayRef<int> labels, LayerBuilder &to) {
  Ints perm;
  for (const int label : labels)
    perm.push_back(llvm::find(term.labels, label) - term.labels.begin());
  return to.transpose(term.value, perm);
}

Term sumOver(Term term, llvm::function_ref<bool(int)> isNeeded, LayerBuilder &to) {
  Ints axes, shape;
  Labels left;
  for (size_t i = 0; i < term.labels.size(); ++i)
    if (isNeeded(term.labels[i])) {
      left.push_back(term.labels[i]);
      shape.push_back(shapeOf(term.value)[i]);
    } else {
      axes.push_back(static_cast<int64_t>(i));
    }
  if (axes.empty())
    return term;
  return {to.reshape(to.reduce(ReduceFunction::sum, term.value, axes), shape), left};
}

// With `isCommon`, the labels (letters of axes) of the operand `one` that the operand `other` has too;
// otherwise the labels of `one` that `other` does not have.
Labels common(const Term &one, const Term &other, bool isCommon) {
  Labels labels;
  for (const int label : one.labels)
    if (other.has(label) == isCommon)
      labels.push_back(label);
  return labels;
}

Labels joined(std::initializer_list<llvm::ArrayRef<int>> parts) {
  Labels all;
  for (const llvm::ArrayRef<int> part : parts)
    all.append(part.begin(), part.end());
  return all;
}

// Broadcasts an operand of Einsum: for each label (letter of an axis) that both operands have and that is to
// be summed, expands an axis of size 1 to the size of the axis in `other`.
mlir::Value widened(mlir::Value value, size_t firstDepth, llvm::ArrayRef<int> depth, const Term &other,
                    LayerBuilder &to) {
  Ints shape(shapeOf(value));
  for (size_t i = 0; i < depth.size(); ++i)
    shape[firstDepth + i] = std::max(shape[firstDepth + i], other.sizeOf(depth[i]));
  return to.expand(value, shape);
}

Term product(const Term &a, const Term &b, llvm::function_ref<bool(int)> isNeeded, LayerBuilder &to) {
  Labels batch, depth;
  for (const int label : common(a, b, true))
    (isNeeded(label) ? batch : depth).push_back(label);
  const Labels rows = common(a, b, false), columns = common(b, a, false);
  mlir::Value left = inOrder(a, joined({batch, rows, depth}), to),
              right = inOrder(b, joined({batch, depth, columns}), to);
  left = widened(left, batch.size() + rows.size(), depth, b, to);
  right = widened(right, batch.size(), depth, a, to);
  int64_t depthSize = 1;
  for (const int64_t size : shapeOf(left).take_back(depth.size()))
    depthSize *= size;
  const auto asMatrix = [&](mlir::Value value, int64_t first, int64_t second) {
    Ints shape(shapeOf(value).take_front(batch.size()));
    shape.append({first, second});
    return to.reshape(value, shape);
  };
  left = asMatrix(left, sizeOf(a, rows), depthSize);
  right = asMatrix(right, depthSize, sizeOf(b, columns));
  const mlir::Value product = depth.empty() ? to.binary(BinaryFunction::mul, left, right)
                                            : multiply(left, right, /*transposedB=*/true, {}, {}, to);
  Ints shape(shapeOf(product).take_front(batch.size()));
  for (const int label : rows)
    shape.push_back(a.sizeOf(label));
  for (const int label : columns)
    shape.push_back(b.sizeOf(label));
  return {to.reshape(product, shape), joined({batch, rows, columns})};
}

Lowered einsum(EinsumOp op, LayerBuilder &to) {
  const auto [left, right] = op.getEquation().split("->");
  llvm::SmallVector<llvm::StringRef> texts;
  left.split(texts, ',');
  llvm::SmallVector<Term> terms;
  size_t hidden = 0;
  for (const auto &[text, operand] : llvm::zip_equal(texts, op.getInputs())) {
    if (!llvm::isa<mlir::FloatType>(tensorType(operand).getElementType()))
      return noLayer(
          "products of integers without a quantisation scale are not supported by the accelerator");
    const size_t own = shapeOf(operand).size() - llvm::count_if(text, [](char c) { return c != '.'; });
    hidden = std::max(hidden, own);
    terms.push_back({operand, *lettersOf(text, own)});
    for (const int label : terms.back().labels)
      if (llvm::count(terms.back().labels, label) > 1)
        return noLayer("a diagonal (one letter twice in an operand) is not supported by the accelerator");
  }
  const Labels result = *lettersOf(right, hidden);
  const auto isNeededBehind = [&](size_t count) {
    return [&, count](int label) {
      return llvm::is_contained(result, label) ||
             llvm::any_of(llvm::ArrayRef(terms).drop_front(count),
                          [&](const Term &term) { return term.has(label); });
    };
  };
  Term sum = sumOver(terms[0], isNeededBehind(1), to);
  for (size_t i = 1; i < terms.size(); ++i) {
    const auto isNeeded = isNeededBehind(i + 1);
    const Term next = sumOver(
        terms[i], [&](int label) { return isNeeded(label) || sum.has(label); }, to);
    sum = product(sum, next, isNeeded, to);
    sum = sumOver(sum, isNeeded, to);
  }
  return lowered(to.expand(inOrder(sum, result, to), shapeOf(op.getOutput())));
}

} // namespace

std::optional<Lowered> lowerEinsum(mlir::Operation *operation, LayerBuilder &to) {
  auto op = llvm::dyn_cast<EinsumOp>(operation);
  return op ? std::optional(einsum(op, to)) : std::nullopt;
}

} // namespace tilerig::compiler
