// Checks a network that runs in a loop: in every step after the first, the state that the device has computed
// becomes inputs, the device and the emitted ONNX model run on the same inputs, and every tensor is compared.
#pragma once

#include "isa/Program/StateLinks.h"
#include "verify/Check/Check.h"
#include "verify/Records/Record.h"

namespace tilerig::verify {

// The outputs of a run that are linked to inputs, in the types of the program's outputs.
Result<TensorMap> stateOf(const std::vector<StateLink> &links, const CheckRun &run);

// Record of a further step: {"record": "step", "name": "step 3", "step": 3, "status", "reason", "first_wrong"}.
// `first_wrong` names the first tensor that differs, in the order of computation; null if none does.
Json stepRecord(size_t step, const Check &check, const CheckRun &run);

} // namespace tilerig::verify
