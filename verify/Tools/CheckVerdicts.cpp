#include "verify/Tools/CheckVerdicts.h"

#include "verify/Check/CheckedCircumstances.h"
#include "verify/Check/MissingClip.h"

namespace tilerig::verify {

namespace {

// The verdict that replaces the classifier's if all wrong elements are 9-bit results that were stored in 8
// bits without clipping.
ExplainedVerdict asMissingClip(ExplainedVerdict explained) {
  explained.verdict = {.answer = Answer::named, .reason = {}, .bugClass = BugClass::clipping};
  explained.verdict.probabilities[static_cast<size_t>(BugClass::clipping)] = 1;
  explained.reasons = {};
  if (explained.attribution) {
    Attribution &attribution = *explained.attribution;
    attribution.classes = {{BugClass::clipping, attribution.all, {}}};
    attribution.unexplained = {};
  }
  return explained;
}

Result<ExplainedVerdict> explainTensor(const Classifier &classifier, const Check &check, const CheckRun &run,
                                       const CheckedTensor &tensor) {
  const auto &[reference, target] = tensor.stored;
  if (const auto reason = whyNothingCanBeSaid(tensor.comparison, reference))
    return ExplainedVerdict{.verdict = cannotSay(*reason)};
  const Circumstances known = circumstancesOf(check, run, tensor);
  TILERIG_TRY(const FloatEvidence evidence, makeEvidence(reference, target, tensor.comparison, known));
  TILERIG_TRY(const ReplayedHypotheses hypotheses,
              replayHypotheses(reference, target, tensor.comparison, known));
  TILERIG_TRY(ExplainedVerdict explained, explain(classifier, asSample(evidence, tensor.comparison),
                                                  tensor.comparison, reference, hypotheses));
  return lacksClip(run.program, tensor) ? asMissingClip(std::move(explained)) : std::move(explained);
}

} // namespace

Status CheckVerdicts::open() {
  if (!classifier) {
    TILERIG_TRY(Classifier opened, openClassifier(path, threads));
    classifier.emplace(std::move(opened));
  }
  return success();
}

Status CheckVerdicts::add(const Check &check, const CheckRun &run, const CheckedTensor &tensor,
                          Json &record) {
  const TensorStatus status = tensor.comparison.status;
  const bool isProved = run.cause && run.cause->isOneClass();
  if (status == TensorStatus::match || status == TensorStatus::inherited || isProved)
    return success();
  TILERIG_CHECK_OK(open());
  TILERIG_TRY(const ExplainedVerdict explained, explainTensor(*classifier, check, run, tensor));
  record["verdict"] = verdictRecord(explained);
  wrong.push_back({tensor.match.layer, explained.verdict});
  return success();
}

} // namespace tilerig::verify
