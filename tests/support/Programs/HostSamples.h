// Valid operands for every host operator, and a program that runs one of them.
#pragma once

#include "isa/Program/HostSignature.h"

#include <string>

namespace tilerig::test {

struct HostSample {
  std::string kernel;
  std::vector<std::optional<HostOperand>> inputs;
  std::vector<HostOperand> outputs;
};

// One sample of each operator, with all optional operands, in the order of hostSignatures(). Attributes have
// their default values.
std::vector<HostSample> hostSamples();

// The assembly text of a program for the machine `tiny` whose only stage runs the sample operator. The inputs
// and outputs of the stage are those of the program and are called "i0", "i1", …, "o0", …; an absent input is
// "".
std::string textOf(const HostSample &sample);

} // namespace tilerig::test
