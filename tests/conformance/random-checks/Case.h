// A model with everything that it is checked under, made of a seed.
#pragma once

#include "tests/conformance/random-graphs/Trial.h"
#include "verify/Check/Check.h"

#include <optional>

namespace tilerig::checks {

struct Setting {
  std::string precision, machine;
  bool breaksConstants = false; // of the program that runs, on purpose
  unsigned tiles = 1;
  bool pinsWeights = false;
  StrategyFile strategy; // hints for some layers; may be empty
};

struct Case {
  meaning::Trial trial;
  meaning::Values calibration; // inputs; where there are none, those of the trial
  Setting setting;
};

// Without a strategy: that needs the layers, and so a compiler.
Case randomCase(uint64_t seed, int mostNodes);
// The same with numbers at the edges of their type in inputs and weights: NaN, infinities, subnormals, and
// what overflows where it is added or multiplied.
Case edgeCase(uint64_t seed, int mostNodes);
// Hints for about half of the layers: those that may suit them, mostly.
StrategyFile randomHints(StrategyFile applied, uint64_t seed);

// What is wrong with a case: of one kind, so that a smaller one can be asked for the same.
struct Finding {
  enum class Kind { error, fault, bits, emitted, rounded } kind;
  std::string what;
  std::optional<ErrorKind> error = {}; // of errors: a model that is refused is none that could not be proved

  bool isLike(const Finding &other) const { return kind == other.kind && error == other.error; }
};
struct Verdict {
  std::optional<Finding> finding;
  std::string refused;                          // why nothing ran, where the compiler says that it cannot
  bool broken = false;                          // constants were altered
  size_t tensors = 0, emitted = 0, rounded = 0; // that were compared
  std::vector<std::string> operators;           // that the tensors' layers stand for, each once
};

// Compiles, runs, and compares all tensors, and all layers as emitted and as rounded.
Verdict judge(const Case &it, reference::Threads &threads);
// The same with hints that the seed draws, put into the case.
Verdict judgeWithHints(Case &it, uint64_t seed, reference::Threads &threads);

} // namespace tilerig::checks
