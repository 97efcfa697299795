// Search for knobs with which a network takes fewer cycles: threshold accepting, guided by a cost model and
// confirmed on the emulator.
//
// Starting from the compiler's choice, each step changes one knob at random: the parts of a layer, the fusion
// blocks, the limit of DDR reads in flight, or how far ahead weights are loaded. Candidates that the cost
// model estimates to be much slower are dropped. The others are run, and accepted if they are faster, or
// slower by no more than a threshold, which falls to zero as the budget is used up (threshold accepting [1]).
// No step is accepted at random, so all hosts take the same steps. The result is the fastest candidate that
// was run, and never slower than the compiler's own choice.
//
// [1] G. Dueck, T. Scheuer: Threshold accepting. Journal of Computational Physics 90, 1990.
#pragma once

#include "compiler/Planning/Search/Knobs.h"

#include <functional>

namespace tilerig::compiler {

// The values that the search may try for each knob (option of a compilation).
struct KnobSpace {
  struct Layer {
    size_t index = 0;                        // index of the layer in the strategy
    std::vector<std::vector<int64_t>> parts; // splits of the layer's result that the search may try
  };
  std::vector<Layer> layers = {};
  bool formsBlocks = false; // whether the search may fuse layers into blocks
  std::vector<std::optional<uint32_t>> ddrReads, prefetchSteps; // nullopt: the option is left out
};

// A function that returns the cycles of the network with the given knobs. The search gets two: one estimates
// the cycles cheaply, one measures them. A candidate is always estimated before it is measured. An error of
// kind unsupported or invalid drops the candidate; an internal error ends the search.
using CyclesOf = std::function<Result<uint64_t>(const Knobs &)>;

struct SearchOptions {
  unsigned budget = 100; // how many candidates the cost model estimates
  uint64_t seed = 1;
  std::function<void()> onStep = [] {};
};

struct SearchOutcome {
  Knobs best;
  uint64_t cyclesBefore = 0, cycles = 0; // cycles per inference, as measured on the emulator
  // How many candidates have been tried so far. Each was refused by the compiler, dropped as too slow, or
  // measured.
  unsigned tried = 0;
  unsigned refused = 0, dropped = 0, measured = 0, improved = 0;
};

// Searches for knobs with which the network runs faster; takes the same steps on every host. The strategy of
// `start` has one record per layer in the order of the ids, as the compiler writes it. Returns `start` itself
// if no candidate was faster.
Result<SearchOutcome> searchKnobs(const Knobs &start, const KnobSpace &space, const CyclesOf &estimated,
                                  const CyclesOf &measured, const SearchOptions &options);

} // namespace tilerig::compiler
