// Which cases the reference has to pass: all but those that a rule leaves out, whatever the reference does.
#pragma once

#include "tests/conformance/Cases.h"

#include <set>
#include <string_view>

namespace tilerig::conformance {

struct Scope {
  std::set<std::string> operators; // of the model's nodes, those inside graphs of nodes too
  std::string_view leftOut;        // why the case is left out; empty where it is in scope
};

// Reads the model by itself, without the loader under test.
Result<Scope> scopeOf(const Case &testCase);

} // namespace tilerig::conformance
