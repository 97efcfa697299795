// Test-case reduction: finds a smaller model that shows the same fault.
#pragma once

#include "tests/conformance/random-graphs/Trial.h"

#include <functional>

namespace tilerig::meaning {

// Removes nodes from the model of `trial` as long as shows(smaller trial) is true, that is, as long as the
// smaller model still shows the fault. It first keeps a single tensor as the only output, then replaces
// single nodes by inputs or constants with the nodes' results, last node first. `trial` must show the fault,
// and the reference must be able to run it; if the reference cannot, `trial` is returned unchanged.
Trial shrink(Trial trial, const std::function<bool(const Trial &)> &shows);

} // namespace tilerig::meaning
