// A smaller model that shows the same fault.
#pragma once

#include "tests/conformance/random-graphs/Trial.h"

#include <functional>

namespace tilerig::meaning {

// Takes nodes away as long as `shows` holds: one output alone, inputs instead of what computes them. What is
// left needs all of its nodes. `trial` must show the fault, and the reference must be able to run it.
Trial shrink(Trial trial, const std::function<bool(const Trial &)> &shows);

} // namespace tilerig::meaning
