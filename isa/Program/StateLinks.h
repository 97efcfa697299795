// The state of a network that runs in a loop: outputs that become inputs of the next step, such as the keys
// and values that a decoder keeps, or the hidden state of a recurrent network.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "isa/Program/Program.h"

namespace tilerig {

struct StateLink {
  std::string output, input; // names of the output, and of the input that it becomes in the next step
};

// Reads links in the form OUTPUT=INPUT. Returns an error if the program has no such output or input, if they
// differ in type or shape, or if an input has two links.
Result<std::vector<StateLink>> readStateLinks(const std::vector<std::string> &texts, const Program &program);

// Replaces the inputs of a step that are linked to outputs of the step before.
void carryState(const std::vector<StateLink> &links, const TensorMap &outputs, TensorMap &inputs);

} // namespace tilerig
