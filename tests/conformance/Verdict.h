// The outcome of one ONNX test case on the reference.
#pragma once

#include "reference/Run/Threads.h"
#include "tests/conformance/Scope.h"

namespace tilerig::conformance {

enum class Outcome { passed, failed, leftOut };

struct Verdict {
  Outcome outcome;
  std::string text; // reason why the case failed or is left out; empty if it passed
  std::set<std::string> operators;
};

// Runs the reference on the case if it is in scope. An error of the reference counts as a failure, like a
// wrong result.
Verdict judge(const Case &testCase, reference::Threads &threads);

} // namespace tilerig::conformance
