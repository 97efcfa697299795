// Losses of classifiers, as compositions: the score of the right class is the sum over all classes of the scores where the
// label equals the number of the class, and zeros elsewhere.
#include "compiler/Graph/Import/Composition.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

using namespace graph;

// The labels and how their losses are combined.
struct Labels {
  Ints shape; // of the labels
  int64_t classes = 0;
  std::string reduction; // none, sum or mean
  std::optional<int64_t> ignored;
};

Result<Labels> labelsOf(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 3));
  Labels labels{Ints(node.shape(0)), 0, node.text("reduction", "mean"), {}};
  if (labels.shape.size() < 2)
    return node.refuse(fmt::format("scores of shape {} have no axis of classes", text(node.shape(0))));
  labels.classes = labels.shape[1];
  labels.shape.erase(labels.shape.begin() + 1);
  if (node.shape(1) != llvm::ArrayRef<int64_t>(labels.shape))
    return node.refuse(fmt::format("labels of shape {} do not fit scores of shape {}", text(node.shape(1)),
                                   text(node.shape(0))));
  if (node.has(2) && node.shape(2) != llvm::ArrayRef<int64_t>(labels.classes))
    return node.refuse(
        fmt::format("weights of shape {} do not fit {} classes", text(node.shape(2)), labels.classes));
  if (labels.reduction != "none" && labels.reduction != "sum" && labels.reduction != "mean")
    return node.refuse(
        fmt::format("attribute 'reduction' is '{}', expected 'none', 'sum' or 'mean'", labels.reduction));
  if (node.attribute("ignore_index"))
    labels.ignored = node.integer("ignore_index", 0);
  if (!llvm::isa<mlir::FloatType>(node.elementType(0)))
    return node.unsupportedHere("the loss of scores that are not floats is not supported");
  return labels;
}

// Whether each class is that of the label, [batch, classes, …]. A label that is ignored is that of no class.
mlir::Value isRight(const NodeReader &node, const Labels &labels, Composition &to) {
  Ints places(node.shape(0).size(), 1), columns(labels.shape), numbers;
  places[1] = labels.classes;
  columns.insert(columns.begin() + 1, 1);
  for (int64_t i = 0; i < labels.classes; ++i)
    numbers.push_back(i == labels.ignored ? labels.classes : i);
  const mlir::Value right = to.cast(to.reshape(node.input(1), columns), node.typeOf(DType::i64));
  const mlir::Value classes = to.integers(numbers, places);
  return right ? to.make<EqualOp>(right, classes) : nullptr;
}

// The sum over the classes of the values of the right one.
mlir::Value pick(mlir::Value right, mlir::Value values, Composition &to) {
  if (!right || !values)
    return nullptr;
  const mlir::Value others = to.number(0, elementOf(values));
  const mlir::Value kept = to.where(right, values, others);
  return kept ? to.make<ReduceSumOp>(kept, Ints{1}, false) : nullptr;
}

mlir::Value sumOfAll(mlir::Value x, Composition &to) {
  if (!x)
    return nullptr;
  Ints axes;
  for (size_t i = 0; i < shapeOf(x).size(); ++i)
    axes.push_back(static_cast<int64_t>(i));
  return to.make<ReduceSumOp>(x, axes, false);
}

mlir::Value lossOf(const NodeReader &node, const Labels &labels, mlir::Value logs, Composition &to) {
  const mlir::Type element = node.elementType(0);
  const mlir::Value right = isRight(node, labels, to);
  const mlir::Value likelihood = pick(right, logs, to);
  mlir::Value losses = to.sub(to.number(0, element), likelihood);
  mlir::Value weights = to.number(1, element);
  if (node.has(2)) {
    Ints places(node.shape(0).size(), 1);
    places[1] = labels.classes;
    weights = to.reshape(node.input(2), places);
  }
  const bool isMean = labels.reduction == "mean";
  const mlir::Value own = isMean || node.has(2) ? pick(right, weights, to) : nullptr;
  if (node.has(2))
    losses = to.mul(losses, own);
  if (labels.reduction == "none")
    return losses;
  const mlir::Value sum = sumOfAll(losses, to);
  if (!isMean)
    return sum;
  const mlir::Value total = sumOfAll(own, to);
  return sum && total ? to.make<DivOp>(sum, total) : nullptr;
}

ImportedValues likelihoodLoss(const NodeReader &node) {
  TILERIG_TRY(const Labels labels, labelsOf(node));
  Composition to(node);
  return to.results({lossOf(node, labels, node.input(0), to)});
}

// The second result are the logarithms of the softmax.
ImportedValues crossEntropy(const NodeReader &node) {
  TILERIG_TRY(const Labels labels, labelsOf(node));
  Composition to(node);
  const mlir::Value logs = to.make<LogSoftmaxOp>(node.input(0), uint64_t{1});
  const mlir::Value loss = lossOf(node, labels, logs, to);
  return to.results(node.numOutputs() > 1 ? Values{loss, logs} : Values{loss});
}

} // namespace

void addLosses(ImporterTable &table) {
  table.emplace("NegativeLogLikelihoodLoss", likelihoodLoss);
  table.emplace("SoftmaxCrossEntropyLoss", crossEntropy);
}

} // namespace tilerig::compiler
