// The judge of the analyser: a machine with an explicit state, run through every interleaving.
//
// Written from the execution model alone and without any of the analyser's ideas: no clocks, no events, no
// order. A state says how far the sequencer and each phase of each engine of each tile have come; a
// transition lets one of them begin or end something. All states that can be reached are visited. Two
// accesses race if some state has both going on; a byte is read uninitialised if in some state the reader
// goes on and nothing that writes the byte has ended; a program deadlocks if some state has neither a
// transition nor everything done. For small programs only.
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
  int memory = 0; // 0 is DDR, 1 + t the OCM of tile t
  Operand first, second;
  auto operator<=>(const Race &) const = default;
};

struct Verdict {
  bool deadlock = false;
  std::set<Race> races;
  std::set<Operand> uninitialised;
  std::set<std::pair<unsigned, unsigned>> leftOver; // tile and semaphore, if the stage ends
  size_t states = 0;
};

// Bytes that are initialised when the stage begins, by memory.
using InitialBytes = std::vector<std::set<uint64_t>>;

// None if there are more states than that.
std::optional<Verdict> exploreInterleavings(const Program &program, uint32_t stage,
                                            const InitialBytes &initial, size_t mostStates);

} // namespace tilerig::test
