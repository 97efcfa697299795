// Passes that are wrong on purpose: a test that does not find them finds nothing.
#pragma once

#include "tests/conformance/random-graphs/Variants.h"

namespace tilerig::meaning {

// Makes them known to MLIR, and says what they are called.
std::vector<PassName> registerBrokenPasses();

} // namespace tilerig::meaning
