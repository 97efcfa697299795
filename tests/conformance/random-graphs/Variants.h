// The pass pipelines that are tested: single passes, all passes, and shuffled orders.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilerig::meaning {

struct Variant {
  std::string name;     // for messages, for example "fold-pads alone"
  std::string pipeline; // MLIR pass pipeline, in the syntax of tilerig-opt
};

// A pass: its command-line flag, and the operation that it is anchored on.
struct PassName {
  std::string flag, anchor;
};

// Every pass on the level `graph` that the compiler declares, and MLIR's `cse` and `canonicalize`.
std::vector<PassName> graphPasses();
// The pipeline text that runs the passes one after another, each nested in its anchor operation.
std::string pipelineOf(const std::vector<PassName> &passes);

// All pass pipelines to test: no pass; each pass alone; all passes in the order of their declaration; all but
// one pass; `shuffles` random orders drawn from the seed; and the compiler's own pipelines if they are
// registered. Every order is legal, since a pass on `graph` accepts any valid `graph` module.
std::vector<Variant> variantsOf(const std::vector<PassName> &passes, unsigned shuffles, uint64_t seed);
// Few pass pipelines, for large models: no pass, all passes together, and the compiler's own pipelines.
std::vector<Variant> fewVariantsOf(const std::vector<PassName> &passes);

} // namespace tilerig::meaning
