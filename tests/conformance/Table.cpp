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

> ONNX's own test cases that the reference passes, measured by `scripts/regenerate`; every run of the tests compares them again.

A case in scope passes, or `tilerig-node-tests` fails; what is in scope is decided by the rules of [Scope.cpp](Scope.cpp)
from the model alone, and not by what the reference does with it.

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
  void addHeading(std::string_view heading) {
    add("| {} | cases | passed | not in scope |\n|---|---:|---:|---|\n", heading);
  }
  void addRow(const std::string &name, const Row &row) {
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

// Adds the table of operators to the page: one sentence names all operators whose cases all passed; each
// other operator gets a row with its numbers of cases.
void addOperators(Page &page, const std::map<std::string, Row> &operators) {
  auto isPerfect = [](const Row &row) { return row.counts.passed == row.counts.all(); };
  std::string perfect;
  for (const auto &[name, row] : operators)
    if (isPerfect(row))
      perfect += fmt::format("{}{}", perfect.empty() ? "" : ", ", name);
  page.add(
      "\n## By operator\n\nA case counts for every operator of its model. All cases passed of these operators: {}.\n\n",
      perfect);
  page.addHeading("other operators");
  for (const auto &[name, row] : operators)
    if (!isPerfect(row))
      page.addRow(name, row);
}

void addLeftOut(Page &page, const std::vector<Judged> &judged) {
  // For each reason to leave cases out: number and names of these cases.
  std::map<std::string, std::pair<int, std::string>> reasons;
  for (const auto &[testCase, verdict] : judged)
    if (verdict.outcome == Outcome::leftOut) {
      auto &[number, names] = reasons[verdict.text];
      names += fmt::format("{}{}", number++ ? ", " : "", testCase.name);
    }
  page.add("\n## Not in scope\n\n| reason | cases | names |\n|---|---:|---|\n");
  for (const auto &[reason, cases] : reasons)
    page.add("| {} | {} | {} |\n", reason, cases.first, cases.second);
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
  page.addHeading("collection");
  for (const auto &[name, row] : collections)
    page.addRow(name, row);
  if (counts.failed)
    addFailures(page, judged);
  addOperators(page, operators);
  addLeftOut(page, judged);
  return page.text;
}

} // namespace tilerig::conformance
