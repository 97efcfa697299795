// The page of results of ONNX's test cases (REFERENCE.md), in Markdown.
#pragma once

#include "tests/conformance/Verdict.h"

namespace tilerig::conformance {

struct Judged {
  Case testCase;
  Verdict verdict;
};

// Numbers of ONNX test cases by outcome.
struct Counts {
  int passed = 0, failed = 0, leftOut = 0;

  void add(Outcome outcome);
  int all() const { return passed + failed + leftOut; }
};
Counts count(const std::vector<Judged> &judged);

std::string tableOf(const std::vector<Judged> &judged);

} // namespace tilerig::conformance
