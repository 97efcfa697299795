// Whether a model means the same after the compiler's passes.
#pragma once

#include "tests/conformance/random-graphs/Compiled.h"
#include "tests/conformance/random-graphs/Trial.h"
#include "tests/conformance/random-graphs/Variants.h"

#include <optional>

namespace tilerig::meaning {

enum class Fault { reference, import, pass, interpretation, difference };

struct Finding {
  Fault fault;
  Variant variant; // of the passes; "no pass" where it was not them
  std::string what;
};

// What is judged, for whoever has to be told about it.
struct Subject {
  std::string name;
  unsigned secondsPerVariant = 20; // of the processor; more is a pass that does not end
};

struct Counts {
  size_t models = 0, variants = 0, distinct = 0;
  size_t withoutLayers = 0; // models with an operator that has none, which is said by name
};

// The first thing wrong with a model in double, if anything. Variants that give the same file are run once.
std::optional<Finding> judge(const Subject &subject, const Trial &trial, const std::vector<Variant> &variants,
                             const Scratch &scratch, Counts &counts);

} // namespace tilerig::meaning
