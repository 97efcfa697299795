// What an assembly text says about its program for the sake of testing it: values that go in, and what must
// come of it. The program itself knows nothing of this; a test runner does.
#pragma once

#include "isa/Tensor/TensorMap.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilerig {

// Something that must be reported: its name, and words that the message must contain (none where `text` is
// empty).
struct ExpectedReport {
  std::string kind;
  std::string text;
  uint32_t line = 0; // of the assembly text
};

struct ProgramTest {
  TensorMap inputs;                     // .set: values of inputs
  TensorMap outputs;                    // .expect: values that outputs must have, bit for bit
  std::optional<ExpectedReport> fault;  // .expect_fault: the category of the fault that must end the run
  std::vector<ExpectedReport> problems; // .expect_problem: each must be found, and nothing of another kind

  bool empty() const { return inputs.empty() && outputs.empty() && !fault && problems.empty(); }
};

} // namespace tilerig
