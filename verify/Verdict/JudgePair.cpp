#include "verify/Verdict/JudgePair.h"

#include "verify/Evidence/Channels.h"
#include "verify/Evidence/Explanations.h"

namespace tilerig::verify {

Result<ExplainedVerdict> judgePair(const Classifier &classifier, const TensorStream &reference,
                                   const TensorStream &target, const Comparison &comparison,
                                   const Circumstances &known) {
  const auto nothingToSay = [](std::string reason) {
    return ExplainedVerdict{.verdict = cannotSay(std::move(reason))};
  };
  TILERIG_TRY(const Tensor whole, reference.whole());
  if (const auto reason = whyNothingCanBeSaid(comparison, whole))
    return nothingToSay(*reason);
  TILERIG_TRY(const Tensor came, target.whole());
  if (!known.isOracle && comparison.targetNan + comparison.targetInfinite > 0)
    return nothingToSay("the target contains NaN or infinity");
  if (!known.layerKind && isConstant(came))
    return nothingToSay("all elements of the target have the same value");
  TILERIG_TRY(const FloatEvidence evidence, makeEvidence(reference, target, comparison, known));
  TILERIG_TRY(const ReplayedHypotheses hypotheses, replayHypotheses(reference, target, comparison, known));
  return explain(classifier, asSample(evidence, comparison), comparison, whole, hypotheses);
}

Result<ExplainedVerdict> explainPair(const Classifier &classifier, const Tensor &reference,
                                     const Tensor &target, const Comparison &comparison,
                                     const Circumstances &known) {
  if (const auto reason = whyNothingCanBeSaid(comparison, reference))
    return ExplainedVerdict{.verdict = cannotSay(*reason)};
  TILERIG_TRY(const FloatEvidence evidence, makeEvidence(reference, target, comparison, known));
  TILERIG_TRY(const ReplayedHypotheses hypotheses, replayHypotheses(reference, target, comparison, known));
  return explain(classifier, asSample(evidence, comparison), comparison, reference, hypotheses);
}

} // namespace tilerig::verify
