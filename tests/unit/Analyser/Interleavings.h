// Model checker that judges the analyser: explores every interleaving of a small program on a machine with an
// explicit state.
//
// It is written from the execution model alone and shares no ideas with the analyser: no clocks, events or
// orders. A state records the progress of the sequencer and of each phase of each engine, for every tile; a
// transition begins or ends one operation. All reachable states are visited. Two accesses race if both are in
// progress in some state. A byte is read uninitialised if, in some state, the reader is in progress and no
// write of the byte has ended. A program deadlocks if some state has no transition although work is left. For
// small programs only.
#pragma once

#include "isa/Program/Program.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilerig::test {

struct Operand {
  unsigned tile = 0, instruction = 0;
  std::string name;
  auto operator<=>(const Operand &) const = default;
};
struct Race {
  int memory = 0; // number of the memory: 0 for DDR, 1 + t for the OCM of tile t
  Operand first, second;
  auto operator<=>(const Race &) const = default;
};

struct Verdict {
  bool deadlock = false;
  std::set<Race> races;
  std::set<Operand> uninitialised;
  std::set<std::pair<unsigned, unsigned>> leftOver; // semaphores (tile, index) above 0 at the end
  size_t states = 0;
};

// For each memory, the bytes that are initialised when the stage begins.
using InitialBytes = std::vector<std::set<uint64_t>>;

// Explores a stage of the program and returns the problems found; empty if more than `mostStates` states are
// reachable.
std::optional<Verdict> exploreInterleavings(const Program &program, uint32_t stage,
                                            const InitialBytes &initial, size_t mostStates);

} // namespace tilerig::test
