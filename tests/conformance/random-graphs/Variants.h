// The ways in which passes are put together to be tested.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilerig::meaning {

struct Variant {
  std::string name;     // "fold-pads alone"
  std::string pipeline; // as tilerig-opt takes it
};

// A pass, and the operation that it works on.
struct PassName {
  std::string flag, anchor;
};

// Every pass on the level `graph` that the compiler declares, and those of MLIR that it uses.
std::vector<PassName> graphPasses();
// One after the other, each on its own operation.
std::string pipelineOf(const std::vector<PassName> &passes);

// No pass; each alone; all in the order of their declaration; all but one; `shuffles` orders drawn from the
// seed; and the compiler's own pipeline, if it has one. Any order is legal: passes on `graph` take whatever
// `graph` may say.
std::vector<Variant> variantsOf(const std::vector<PassName> &passes, unsigned shuffles, uint64_t seed);
// No pass, all together, and the compiler's own pipeline: for large models.
std::vector<Variant> fewVariantsOf(const std::vector<PassName> &passes);

} // namespace tilerig::meaning
