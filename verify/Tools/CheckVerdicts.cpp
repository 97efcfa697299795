#include "verify/Tools/CheckVerdicts.h"

#include "verify/Check/CheckedCircumstances.h"
#include "verify/Check/ProvedCause.h"

namespace tilerig::verify {

namespace {

Result<ExplainedVerdict> explainTensor(const Classifier &classifier, const Check &check, const CheckRun &run,
                                       const CheckedTensor &tensor) {
  const auto &[reference, target] = tensor.stored;
  if (const auto reason = whyNothingCanBeSaid(tensor.comparison, reference))
    return ExplainedVerdict{cannotSay(*reason), {}, tensor.comparison.subsets.failed, {}};
  TRY(const FloatEvidence made,
      makeEvidence(reference, target, tensor.comparison, circumstancesOf(check, run, tensor)));
  return explain(classifier, asSample(made, tensor.comparison), tensor.comparison, reference);
}

Verdict certainVerdict(BugClass bugClass) {
  Verdict verdict;
  verdict.answer = Answer::named;
  verdict.bugClass = bugClass;
  verdict.probabilities[static_cast<size_t>(bugClass)] = 1;
  return verdict;
}

} // namespace

Status CheckVerdicts::open() {
  if (!classifier) {
    TRY(Classifier opened, openClassifier(path, threads));
    classifier.emplace(std::move(opened));
  }
  return success();
}

Status CheckVerdicts::add(const Check &check, const CheckRun &run, const CheckedTensor &tensor,
                          Json &record) {
  const TensorStatus status = tensor.comparison.status;
  if (status == TensorStatus::match)
    return success();
  isClean = false;
  if (status == TensorStatus::inherited)
    return success();
  CHECK_OK(open());
  TRY(const ExplainedVerdict explained, explainTensor(*classifier, check, run, tensor));
  record["verdict"] = verdictRecord(explained);
  wrong.push_back({tensor.match.layer, explained.verdict});
  return success();
}

std::optional<LayerVerdict> CheckVerdicts::verdict(const CheckRun &run) const {
  if (const std::optional<ProvedCause> cause = provedCauseOf(run))
    return LayerVerdict{wrong.empty() ? "" : wrong.front().layer, certainVerdict(cause->bugClass)};
  if (!isClean)
    return verdictOfNetwork(wrong);
  // Right numbers of a program without a proof are right by chance.
  return LayerVerdict{"",
                      run.notProved.empty() ? certainVerdict(BugClass::noError) : cannotSay(run.notProved)};
}

std::optional<Json> CheckVerdicts::networkRecord(const CheckRun &run) const {
  const std::optional<LayerVerdict> decided = verdict(run);
  if (!decided)
    return std::nullopt;
  Json record = networkVerdictRecord(decided);
  record["record"] = "verdict";
  const std::optional<ProvedCause> cause = provedCauseOf(run);
  record["proved"] = cause.has_value();
  if (cause) {
    record["proved_by"] = cause->by;
    record["reason"] = cause->reason;
  }
  return record;
}

} // namespace tilerig::verify
