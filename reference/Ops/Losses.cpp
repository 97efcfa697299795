// Classification losses: negative log likelihood, and cross entropy, which applies it to the log-softmax.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// The sizes of the scores [batch, classes, points...], and the target class at each of the batch * points
// positions.
struct Targets {
  int64_t batch, classes, points;
  std::vector<int64_t> right;
  Shape shape;
  std::optional<int64_t> ignored;
};

Result<Targets> targetsOf(OpContext &context) {
  const Shape &scores = context.input(0).shape();
  Targets targets{};
  targets.shape = context.input(1).shape();
  if (scores.size() < 2)
    return context.invalid(
        fmt::format("the scores have shape {}, which has no class axis", showShape(scores)));
  Shape wanted = scores;
  wanted.erase(wanted.begin() + 1);
  if (targets.shape != wanted)
    return context.invalid(
        fmt::format("the labels have shape {}, expected {}", showShape(targets.shape), showShape(wanted)));
  targets.batch = scores[0];
  targets.classes = scores[1];
  targets.points = product(std::span(scores).subspan(2));
  if (context.hasAttribute("ignore_index")) {
    TILERIG_TRY(targets.ignored, context.intAttribute("ignore_index"));
  }
  TILERIG_TRY(targets.right, context.integers(1));
  for (int64_t label : targets.right)
    if (label != targets.ignored && (label < 0 || label >= targets.classes))
      return context.invalid(fmt::format("label {} is out of range for {} classes", label, targets.classes));
  return targets;
}

// The weight of every class; 1 if no weights are given.
template <class T>
Result<std::vector<T>> weightsOf(OpContext &context, int64_t classes) {
  if (!context.has(2)) {
    TILERIG_CHECK_OK(sizeBytesOf(dtypeOf<T>, {classes}));
    return std::vector<T>(static_cast<size_t>(classes), T(1));
  }
  const Tensor &weights = context.input(2);
  if (weights.dtype() != dtypeOf<T> || weights.shape() != Shape{classes})
    return context.invalid(fmt::format("the weights have type and shape {} {}, expected {} [{}]",
                                       nameOf(weights.dtype()), showShape(weights.shape()),
                                       nameOf(dtypeOf<T>), classes));
  auto elements = weights.as<T>();
  return std::vector<T>(elements.begin(), elements.end());
}

// Outputs the loss of every point or, depending on attribute `reduction`, the sum or weighted mean of the
// losses, accumulated in double in ascending order.
template <class T>
Status likelihoodLoss(OpContext &context, const Targets &targets, const Tensor &logs) {
  TILERIG_TRY(std::string reduction, context.textAttribute("reduction", "mean"));
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    return context.invalid(fmt::format("attribute reduction is '{}', expected none, sum or mean", reduction));
  TILERIG_TRY(Tensor losses, Tensor::make(dtypeOf<T>, targets.shape));
  if (losses.elementCount() == 0 && reduction == "none") {
    context.outputs[0] = std::move(losses);
    return success();
  }
  auto to = losses.mutableAs<T>();
  auto from = logs.as<T>();
  double sum = 0, weightSum = 0;
  if (!to.empty()) {
    TILERIG_TRY(std::vector<T> weights, weightsOf<T>(context, targets.classes));
    for (size_t i = 0; i < to.size(); ++i) {
      int64_t at = static_cast<int64_t>(i), label = targets.right[i];
      if (label == targets.ignored)
        continue;
      T weight = weights[label];
      to[i] = -from[(at / targets.points * targets.classes + label) * targets.points + at % targets.points] *
              weight;
      sum += to[i];
      weightSum += weight;
    }
  }
  if (reduction == "none")
    context.outputs[0] = std::move(losses);
  else
    context.outputs[0] = Tensor::scalar(static_cast<T>(reduction == "sum" ? sum : sum / weightSum));
  return success();
}

// The log-softmax of the scores along the axis of classes.
template <class T>
Tensor logSoftmax(Tensor scores, const Targets &targets, Threads &threads) {
  T *elements = scores.mutableAs<T>().data();
  if (!scores.elementCount())
    return scores;
  threads.forEach(targets.batch * targets.points, 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T *line = elements + i / targets.points * targets.classes * targets.points + i % targets.points;
      T greatest = line[0];
      for (int64_t c = 1; c < targets.classes; ++c)
        greatest = std::max(greatest, line[c * targets.points]);
      double sum = 0;
      for (int64_t c = 0; c < targets.classes; ++c)
        sum += std::exp(static_cast<double>(line[c * targets.points] - greatest));
      T logarithm = static_cast<T>(std::log(sum));
      for (int64_t c = 0; c < targets.classes; ++c)
        line[c * targets.points] = (line[c * targets.points] - greatest) - logarithm;
    }
  });
  return scores;
}

Status negativeLogLikelihood(OpContext &context) {
  TILERIG_TRY(Targets targets, targetsOf(context));
  return withFloats(context,
                    [&]<class T>() { return likelihoodLoss<T>(context, targets, context.input(0)); });
}

Status crossEntropy(OpContext &context) {
  TILERIG_TRY(Targets targets, targetsOf(context));
  return withFloats(context, [&]<class T>() -> Status {
    Tensor logs = logSoftmax<T>(context.take(0), targets, context.threads);
    TILERIG_CHECK_OK(likelihoodLoss<T>(context, targets, logs));
    if (context.wants(1))
      context.outputs[1] = std::move(logs);
    return success();
  });
}

} // namespace

std::span<const OpEntry> lossOps() {
  static constexpr OpEntry entries[] = {
      {"NegativeLogLikelihoodLoss", 12, 2, 3, negativeLogLikelihood},
      {"SoftmaxCrossEntropyLoss", 12, 2, 3, crossEntropy},
  };
  return entries;
}

} // namespace tilerig::reference
