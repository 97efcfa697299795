// What came out of a case.
#pragma once

#include "reference/Run/Threads.h"
#include "tests/conformance/Scope.h"

namespace tilerig::conformance {

enum class Outcome { passed, failed, leftOut };

struct Verdict {
  Outcome outcome;
  std::string text; // why not passed
  std::set<std::string> operators;
};

// Runs the reference on the case, if it is in scope. A refusal is as much a failure as a wrong answer.
Verdict judge(const Case &testCase, reference::Threads &threads);

} // namespace tilerig::conformance
