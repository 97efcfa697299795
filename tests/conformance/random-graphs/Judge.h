// Tests whether compiler passes preserve the meaning of a model.
#pragma once

#include "tests/conformance/random-graphs/Compiled.h"
#include "tests/conformance/random-graphs/Trial.h"
#include "tests/conformance/random-graphs/Variants.h"

#include <optional>

namespace tilerig::meaning {

enum class Fault { reference, import, pass, interpretation, difference };

struct Finding {
  Fault fault;
  Variant variant; // pipeline that shows the fault; "no pass" if the reference or the import failed
  std::string description;
};

// A model under test: its name for messages, and the time limit of each pass pipeline (variant).
struct Subject {
  std::string name;
  unsigned secondsPerVariant = 20; // CPU seconds; a pass that needs more counts as one that does not end
};

struct Counts {
  size_t models = 0, variants = 0, distinct = 0;
  size_t withoutLayers = 0; // pass pipelines for which the compiler has no layer for an operator
};

// Runs the model, in which float tensors are stored as doubles, before and after each combination of passes,
// and returns the first fault, if any. Combinations that give the same file are run once.
std::optional<Finding> judge(const Subject &subject, const Trial &trial, const std::vector<Variant> &variants,
                             const Scratch &scratch, Counts &counts);

} // namespace tilerig::meaning
