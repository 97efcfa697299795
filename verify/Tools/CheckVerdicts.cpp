#include "verify/Tools/CheckVerdicts.h"

#include "verify/Check/CheckedCircumstances.h"

namespace tilerig::verify {

namespace {

Result<ExplainedVerdict> explainTensor(const Classifier &classifier, const Check &check, const CheckRun &run,
                                       const CheckedTensor &tensor) {
  const auto &[reference, target] = tensor.stored;
  if (const auto reason = whyNothingCanBeSaid(tensor.comparison, reference))
    return ExplainedVerdict{.verdict = cannotSay(*reason)};
  const Circumstances known = circumstancesOf(check, run, tensor);
  TILERIG_TRY(const FloatEvidence made, makeEvidence(reference, target, tensor.comparison, known));
  TILERIG_TRY(const ReplayedHypotheses hypotheses,
              replayHypotheses(reference, target, tensor.comparison, known));
  return explain(classifier, asSample(made, tensor.comparison), tensor.comparison, reference, hypotheses);
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
