// A search for knobs with which a network takes fewer cycles: the cost model first, the emulator to confirm.
//
// From what the compiler chose, one knob at a time is turned at random: the parts of a layer, those of a
// layer that hands on to another as the other's, which layers are a fusion block, how many reads of DDR are
// on their way, how far ahead weights are loaded. What the cost model holds to be much worse is dropped. The
// others are run, and taken if they are better, or worse by no more than a threshold that falls to nothing as
// the budget is used up (threshold accepting [1], annealing without a temperature: no random number decides,
// so hosts agree on every step). The best that was run is what comes out, the compiler's own choice among
// them: never is it slower than that.
//
// [1] G. Dueck, T. Scheuer: Threshold accepting. Journal of Computational Physics 90, 1990.
#pragma once

#include "compiler/Search/Knobs.h"

#include <functional>

namespace tilerig {

// What may be tried besides what there is.
struct KnobSpace {
  struct Layer {
    size_t index = 0;                        // in the strategy's layers
    std::vector<std::vector<int64_t>> parts; // each a way to cut its result
  };
  std::vector<Layer> layers = {};
  bool formsBlocks = false; // of any layers
  std::vector<uint32_t> ddrReads, prefetchTurns;
};

// Cycles with these knobs: cheaply, and truly. Whatever is measured was estimated just before. What is
// unsupported or invalid is a way that is not there; an internal error ends the search.
using CyclesOf = std::function<Result<uint64_t>(const Knobs &)>;

struct SearchOptions {
  unsigned budget = 100; // ways that the cost model looks at
  uint64_t seed = 1;
  std::function<void()> onStep = [] {};
};

struct SearchOutcome {
  Knobs best;
  uint64_t cyclesBefore = 0, cycles = 0; // as measured
  unsigned tried = 0;                    // of the budget: refused, dropped as too slow, or measured
  unsigned refused = 0, dropped = 0, measured = 0, improved = 0;
};

// The same for the same arguments, on every host. `start` has a strategy as the compiler tells it: a record
// for every layer, in the order of their ids. What comes out asks for the parts of every layer of the space.
Result<SearchOutcome> searchKnobs(const Knobs &start, const KnobSpace &space, const CyclesOf &estimated,
                                  const CyclesOf &measured, const SearchOptions &options);

} // namespace tilerig
