// The test of a program that an assembly text may contain: input values and expected outputs, faults (errors
// during a run) or problems (findings of the analyser). It is not part of the program; a test runner
// evaluates it.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilerig {

// A fault or problem that a test expects to be reported: its name, and text that the message must contain
// (empty: any message).
struct ExpectedReport {
  std::string kind;
  std::string text;
  uint32_t line = 0; // line of the assembly text that states this expectation
};

struct ProgramTest {
  TensorMap inputs;                     // values of the program's inputs, from .set directives
  TensorMap outputs;                    // exact values of outputs that the test expects (.expect)
  std::optional<ExpectedReport> fault;  // category of the fault that must end the run (.expect_fault)
  std::vector<ExpectedReport> problems; // problems that the analyser must find, and no other kinds

  bool empty() const { return inputs.empty() && outputs.empty() && !fault && problems.empty(); }
};

} // namespace tilerig
