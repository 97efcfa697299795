#include "verify/Check/NetworkVerdict.h"

#include "verify/Records/StatedWrongly.h"
#include "verify/Verdict/VerdictRecord.h"
#include "verify/Verdict/Words.h"

#include <algorithm>
#include <numeric>

namespace tilerig::verify {

namespace {

Verdict certainVerdict(BugClass bugClass) {
  Verdict verdict;
  verdict.answer = Answer::named;
  verdict.bugClass = bugClass;
  verdict.probabilities[static_cast<size_t>(bugClass)] = 1;
  return verdict;
}

// The verdict if it is proved that the class of the bug is one of several. The verdicts on tensors say how
// likely each of these classes is; without such verdicts, all are equally likely.
Verdict verdictAmong(const std::vector<BugClass> &classes, const std::vector<LayerVerdict> &wrong) {
  Verdict verdict = certainVerdict(classes.front());
  if (classes.size() == 1)
    return verdict;
  Probabilities &shares = verdict.probabilities = {};
  for (const LayerVerdict &layer : wrong)
    for (const BugClass bugClass : classes)
      shares[static_cast<size_t>(bugClass)] += layer.verdict.probabilities[static_cast<size_t>(bugClass)];
  const float sum = std::accumulate(shares.begin(), shares.end(), 0.0f);
  for (const BugClass bugClass : classes) {
    float &share = shares[static_cast<size_t>(bugClass)];
    share = sum > 0 ? share / sum : 1 / static_cast<float>(classes.size());
    if (share > shares[static_cast<size_t>(verdict.bugClass)])
      verdict.bugClass = bugClass;
  }
  return verdict;
}

// Name of the layer that computes a tensor; the tensor's own name if the program does not keep the tensor.
std::string layerOfTensor(const std::string &tensor, const std::vector<Json> &records) {
  for (const Json &record : records)
    if (isLayer(record) && record["name"] == tensor && record["layer"].is_string())
      return record["layer"];
  return tensor;
}

LayerVerdict verdictOfStatement(const StatedWrongly &wrong, const std::vector<Json> &records) {
  const std::string &first = wrong.emitted.empty() ? wrong.rounded.front() : wrong.emitted.front();
  return {layerOfTensor(first, records),
          cannotSay("the compiler translated layers wrongly, so the program and its oracle agree on results "
                    "that differ from the original model")};
}

// The first problem that the analyser found, or the first fault of the run; empty if there is neither.
std::string firstObjection(const CheckRun &run) {
  if (!run.notProved.empty() || run.accumulated.faults.empty())
    return run.notProved;
  return run.accumulated.faults.front();
}

std::optional<LayerVerdict> decideNetwork(const CheckRun &run, const std::vector<LayerVerdict> &wrong,
                                          const StatedWrongly &stated, const std::vector<Json> &records) {
  if (run.cause)
    return LayerVerdict{run.cause->layer, verdictAmong(run.cause->classes, wrong)};
  if (!wrong.empty())
    return verdictOfNetwork(wrong);
  if (stated.any())
    return verdictOfStatement(stated, records);
  if (std::ranges::any_of(records, [](const Json &record) { return isLayer(record) && !isMatch(record); }))
    return std::nullopt;
  if (const std::string objection = firstObjection(run); !objection.empty())
    return LayerVerdict{"", cannotSay(objection)};
  return LayerVerdict{"", certainVerdict(BugClass::noError)};
}

Json asJson(const StatedWrongly &stated) {
  return stated.any() ? Json{{"emitted", stated.emitted}, {"rounded", stated.rounded}} : Json();
}

Json othersRecord(const std::vector<LayerVerdict> &others) {
  Json list = Json::array();
  for (const LayerVerdict &other : others)
    list.push_back(networkVerdictRecord(other));
  return list;
}

// What is wrong beside a pass of the compiler: the cause that the analyser or a trap proves, and layers with bugs of their own.
Json othersBesidePass(const CheckRun &run, const std::vector<LayerVerdict> &wrong) {
  if (!run.cause)
    return othersRecord(otherBugs(wrong, {}));
  const auto &[layer, classes] = std::tie(run.cause->layer, run.cause->classes);
  Json list = Json::array({networkVerdictRecord(LayerVerdict{layer, verdictAmong(classes, wrong)})});
  list.front()["proved_by"] = nameOf(run.cause->by);
  for (Json &other : othersRecord(otherBugs(wrong, {layer, classes, true})))
    list.push_back(std::move(other));
  return list;
}

// Makes the verdict if the check after each pass has found a wrong pass of the compiler. The emitted model, with which tensors of the
// device are compared, has that bug, too: whatever is wrong there has another one.
Json verdictOfPass(const Json &passes, const StatedWrongly &stated, const std::vector<Json> &records,
                   Json others) {
  const Json &wrong = passes["first_wrong"];
  const std::string name = wrong["class"];
  Json record = networkVerdictRecord(
      LayerVerdict{layerOfTensor(wrong["tensor"], records), certainVerdict(BugClass::noError)});
  record["record"] = "verdict";
  record["class"] = name;
  for (auto &[other, share] : record["probabilities"].items())
    share = 0.0;
  record["probabilities"][name] = 1.0;
  const auto bugClass = static_cast<BugClass>(std::ranges::find(EnumNames<BugClass>::values, name) -
                                              EnumNames<BugClass>::values.begin());
  record["top"] = {{{"class", name},
                    {"words", wordsOf(bugClass)},
                    {"probability", 1.0},
                    {"attributed", nullptr},
                    {"suspects", {"pass " + wrong["pass"].get<std::string>()}}}};
  record["proved"] = true;
  record["proved_by"] = "pass check";
  record["classes"] = {name};
  record["reason"] = passes["reason"];
  record["stated_wrongly"] = asJson(stated);
  record["others"] = std::move(others);
  return record;
}

} // namespace

std::optional<Json> networkVerdict(const CheckRun &run, const std::vector<LayerVerdict> &wrong,
                                   const std::vector<Json> &records) {
  const StatedWrongly stated = statedWrongly(records);
  for (const Json &record : records)
    if (record["record"] == "passes" && !isMatch(record))
      return verdictOfPass(record, stated, records, othersBesidePass(run, wrong));
  const std::optional<LayerVerdict> decided = decideNetwork(run, wrong, stated, records);
  if (!decided)
    return std::nullopt;
  Json record = networkVerdictRecord(decided);
  record["record"] = "verdict";
  record["proved"] = run.cause.has_value();
  record["classes"] = nullptr;
  if (run.cause) {
    if (!run.cause->isOneClass())
      record["answer"] = "one_of";
    record["classes"] = Json::array();
    for (const BugClass bugClass : run.cause->classes)
      record["classes"].push_back(nameOf(bugClass));
    record["proved_by"] = nameOf(run.cause->by);
    record["reason"] = firstObjection(run);
  }
  record["stated_wrongly"] = asJson(stated);
  record["others"] = othersRecord(otherBugs(
      wrong, {decided->layer, run.cause ? run.cause->classes : std::vector{decided->verdict.bugClass},
              run.cause.has_value()}));
  return record;
}

} // namespace tilerig::verify
