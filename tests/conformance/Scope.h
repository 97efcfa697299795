// Which ONNX test cases the reference has to pass. Fixed rules leave cases out by what their model contains
// (training, strings, sequences as inputs or outputs, random operators), no matter whether the reference passes them.
#pragma once

#include "tests/conformance/Cases.h"

#include <set>
#include <string_view>

namespace tilerig::conformance {

struct Scope {
  std::set<std::string> operators; // operators of all nodes of the model, also of nested graphs
  std::string_view leftOut;        // why the case is left out; empty if it is in scope
};

// Decides whether the case is in scope. Parses model.onnx with protobuf directly, without the reference's
// loader, which is under test.
Result<Scope> scopeOf(const Case &testCase);

} // namespace tilerig::conformance
