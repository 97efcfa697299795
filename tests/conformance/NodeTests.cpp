// The program tilerig-node-tests: runs the reference on the test cases that ship with ONNX.
//
//   tilerig-node-tests DATA             runs every case; prints a line for each that fails, and the counts
//   tilerig-node-tests --table DATA     prints the page of the results (REFERENCE.md), also if cases fail
//   tilerig-node-tests --case FOLDER    runs one case
//
// DATA is the folder that holds the collections (node, simple, ...). Exit code: 0 passed; 1 something failed;
// 2 usage; 77 for a single case that is not in scope, which ctest shows as skipped.
#include "tests/conformance/Table.h"

#include <fmt/core.h>
#include <span>

using namespace tilerig;
using namespace tilerig::conformance;

namespace {

constexpr int exitFailed = 1, exitUsage = 2, exitNotInScope = 77;

int runOne(const std::filesystem::path &folder) {
  reference::Threads threads(1);
  Verdict verdict = judge(caseIn(folder), threads);
  if (verdict.outcome == Outcome::passed)
    return 0;
  bool failed = verdict.outcome == Outcome::failed;
  fmt::print("{}{}\n", failed ? "" : "not in scope: ", verdict.text);
  return failed ? exitFailed : exitNotInScope;
}

void printFailures(const std::vector<Judged> &judged) {
  for (const auto &[testCase, verdict] : judged)
    if (verdict.outcome == Outcome::failed)
      fmt::print("{}/{}: {}\n", testCase.collection, testCase.name, verdict.text);
  Counts counts = count(judged);
  fmt::print("{} cases: {} passed, {} failed, {} not in scope\n", counts.all(), counts.passed, counts.failed,
             counts.leftOut);
}

int runAll(const std::filesystem::path &root, bool asTable) {
  auto cases = casesBelow(root);
  if (!cases) {
    fmt::print(stderr, "{}\n", cases.error().message());
    return exitUsage;
  }
  reference::Threads threads;
  std::vector<Judged> judged;
  for (const Case &testCase : *cases)
    judged.push_back({testCase, judge(testCase, threads)});
  if (asTable) {
    fmt::print("{}", tableOf(judged));
    return 0;
  }
  printFailures(judged);
  return count(judged).failed ? exitFailed : 0;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "--case")
    return runOne(words[1]);
  if (words.size() == 2 && words[0] == "--table")
    return runAll(words[1], true);
  if (words.size() == 1 && !words[0].starts_with("-"))
    return runAll(words[0], false);
  fmt::print(stderr, "usage: tilerig-node-tests [--table] DATA, or tilerig-node-tests --case FOLDER\n");
  return exitUsage;
}
