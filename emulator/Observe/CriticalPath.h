// The critical path of a stage: the chain of dependent steps that ends last.
//
// The path is followed backwards from the last step of the stage to the stage's beginning: the predecessor of
// each step is the dependency that ended latest. The steps of the chain therefore cover all cycles of the
// stage, each cycle once.
#pragma once

#include "isa/Timeline/Timeline.h"

#include <array>
#include <string_view>

namespace tilerig::emulator {

// What a step of the critical path does.
enum class PathWork : uint8_t {
  pod,
  pe,
  ddr,             // a transfer from or to DDR
  network,         // a transfer between tiles, or within an OCM
  synchronisation, // waits for signals under way, and syncs
  issue,           // a sequencer that issues instructions
  host,
};
inline constexpr std::array<std::string_view, 7> pathWorkNames = {
    "pod", "pe", "ddr", "network", "synchronisation", "issue", "host"};

struct PathShare {
  uint64_t cycles = 0;
  uint64_t links = 0; // number of the layer's instructions on the critical path
  std::array<uint64_t, pathWorkNames.size()> byWork{}; // adds up to `cycles`

  void add(PathWork work, uint64_t more) {
    cycles += more;
    byWork[static_cast<size_t>(work)] += more;
    ++links;
  }
};
// For each layer, by index, its share of the critical path.
using CriticalPath = std::map<uint32_t, PathShare>;

// Adds the critical path of a stage to `path`. The stage ran to its end and began at cycle `begin`.
void addCriticalPath(const Program &program, const StageCosts &costs, const Timeline &timeline,
                     uint64_t begin, CriticalPath &path);

} // namespace tilerig::emulator
