// Compiler passes that are wrong on purpose (negative controls): the test of passes must report them.
#pragma once

#include "tests/conformance/random-graphs/Variants.h"

namespace tilerig::meaning {

// Registers the wrong passes with MLIR and returns their names.
std::vector<PassName> registerBrokenPasses();

} // namespace tilerig::meaning
