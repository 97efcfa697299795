#include "tests/conformance/Table.h"

#include <fmt/format.h>
#include <iterator>
#include <map>

namespace tilerig::conformance {

void Counts::add(Outcome outcome) {
  ++(outcome == Outcome::passed ? passed : outcome == Outcome::failed ? failed : leftOut);
}

Counts count(const std::vector<Judged> &judged) {
  Counts counts;
  for (const auto &[testCase, verdict] : judged)
    counts.add(verdict.outcome);
  return counts;
}

namespace {

constexpr std::string_view introduction = R"(# ONNX's own test cases on the reference

Made by `scripts/regenerate`. A case in scope passes, or `tilerig-node-tests` fails; what is in scope is decided by the
rules of [Scope.cpp](Scope.cpp) from the model alone, and not by what the reference does with it.

)";

// Formats the numbers of left-out cases by reason, for example "strings: 3, training: 1".
std::string showReasons(const std::map<std::string, int> &reasons) {
  std::string text;
  for (const auto &[reason, number] : reasons)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", reason, number);
  return text;
}

struct Row {
  Counts counts;
  std::map<std::string, int> reasons;

  void add(const Verdict &verdict) {
    counts.add(verdict.outcome);
    if (verdict.outcome == Outcome::leftOut)
      ++reasons[verdict.text];
  }
};

class Page {
public:
  template <class... Values>
  void add(fmt::format_string<Values...> form, Values &&...values) {
    fmt::format_to(std::back_inserter(text), form, std::forward<Values>(values)...);
  }
  void addRows(std::string_view heading, const std::map<std::string, Row> &rows) {
    add("| {} | cases | passed | not in scope |\n|---|---:|---:|---|\n", heading);
    for (const auto &[name, row] : rows)
      add("| {} | {} | {} | {} |\n", name, row.counts.all(), row.counts.passed, showReasons(row.reasons));
  }

  std::string text{introduction};
};

void addFailures(Page &page, const std::vector<Judged> &judged) {
  page.add("\n## Failed\n\n");
  for (const auto &[testCase, verdict] : judged)
    if (verdict.outcome == Outcome::failed)
      page.add("- {}/{}: {}\n", testCase.collection, testCase.name, verdict.text);
}

void addLeftOut(Page &page, const std::vector<Judged> &judged) {
  page.add("\n## Not in scope\n\n| case | reason |\n|---|---|\n");
  for (const auto &[testCase, verdict] : judged)
    if (verdict.outcome == Outcome::leftOut)
      page.add("| {}/{} | {} |\n", testCase.collection, testCase.name, verdict.text);
}

} // namespace

std::string tableOf(const std::vector<Judged> &judged) {
  std::map<std::string, Row> collections, operators;
  for (const auto &[testCase, verdict] : judged) {
    collections[testCase.collection].add(verdict);
    for (const std::string &op : verdict.operators)
      operators[op].add(verdict);
  }
  Counts counts = count(judged);
  Page page;
  page.add("{} cases: {} passed, {} failed, {} not in scope.\n\n", counts.all(), counts.passed, counts.failed,
           counts.leftOut);
  page.addRows("collection", collections);
  if (counts.failed)
    addFailures(page, judged);
  page.add("\n## By operator\n\nA case counts for every operator of its model.\n\n");
  page.addRows("operator", operators);
  addLeftOut(page, judged);
  return page.text;
}

} // namespace tilerig::conformance
