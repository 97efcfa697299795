#include "verify/Check/NetworkVerdict.h"

#include "verify/Check/ProvedCause.h"
#include "verify/Records/StatedWrongly.h"
#include "verify/Verdict/VerdictRecord.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

Verdict certainVerdict(BugClass bugClass) {
  Verdict verdict;
  verdict.answer = Answer::named;
  verdict.bugClass = bugClass;
  verdict.probabilities[static_cast<size_t>(bugClass)] = 1;
  return verdict;
}

// The layer that makes a tensor; of a tensor that the program does not keep, its own name.
std::string layerOfTensor(const std::string &tensor, const std::vector<Json> &records) {
  for (const Json &record : records)
    if (isLayer(record) && record["name"] == tensor && record["layer"].is_string())
      return record["layer"];
  return tensor;
}

LayerVerdict verdictOfStatement(const StatedWrongly &wrong, const std::vector<Json> &records) {
  const std::string &first = wrong.emitted.empty() ? wrong.rounded.front() : wrong.emitted.front();
  return {layerOfTensor(first, records),
          cannotSay("the compiler stated layers wrongly, so the program and its oracle agree on what the "
                    "model does not compute")};
}

std::optional<LayerVerdict> decideNetwork(const CheckRun &run, const std::optional<ProvedCause> &cause,
                                          const std::vector<LayerVerdict> &wrong, const StatedWrongly &stated,
                                          const std::vector<Json> &records) {
  if (cause)
    return LayerVerdict{wrong.empty() ? "" : wrong.front().layer, certainVerdict(cause->bugClass)};
  if (!wrong.empty())
    return verdictOfNetwork(wrong);
  if (stated.any())
    return verdictOfStatement(stated, records);
  if (std::ranges::any_of(records, [](const Json &it) { return isLayer(it) && !isMatch(it); }))
    return std::nullopt;
  if (!run.notProved.empty())
    return LayerVerdict{"", cannotSay(run.notProved)};
  return LayerVerdict{"", certainVerdict(BugClass::noError)};
}

} // namespace

std::optional<Json> networkVerdict(const CheckRun &run, const std::vector<LayerVerdict> &wrong,
                                   const std::vector<Json> &records) {
  const std::optional<ProvedCause> cause = provedCauseOf(run);
  const StatedWrongly stated = statedWrongly(records);
  const std::optional<LayerVerdict> decided = decideNetwork(run, cause, wrong, stated, records);
  if (!decided)
    return std::nullopt;
  Json record = networkVerdictRecord(decided);
  record["record"] = "verdict";
  record["proved"] = cause.has_value();
  if (cause) {
    record["proved_by"] = cause->by;
    record["reason"] = cause->reason;
  }
  record["stated_wrongly"] =
      stated.any() ? Json{{"emitted", stated.emitted}, {"rounded", stated.rounded}} : Json();
  return record;
}

} // namespace tilerig::verify
