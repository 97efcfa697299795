// Which tasks have to come after which others: what their sequential order implies, from the exact bytes.
//
// Two tasks depend on each other if they touch a byte and one of them writes it; the one that is listed first
// comes first. Dependencies that follow from others are left out, as far back as is cheap to see. Reads of
// constants depend on nothing.
#pragma once

#include "compiler/Schedule/Task.h"
#include "isa/Instructions/Region.h"

#include <span>

namespace tilerig {

enum class DependencyKind : uint8_t { readAfterWrite = 1, writeAfterRead = 2, writeAfterWrite = 4 };

struct Dependency {
  uint32_t before = 0; // a task
  uint8_t kinds = 0;   // sum of DependencyKind
  bool operator==(const Dependency &) const = default;

  bool is(DependencyKind kind) const { return kinds & static_cast<uint8_t>(kind); }
};

// Whether what follows from others is kept all the same: correct, and only there to see what leaving it out
// is worth.
enum class Redundancy : uint8_t { removed, kept };

struct DependencyStatistics {
  uint64_t accesses = 0, comparisons = 0; // of accesses with earlier ones
  uint64_t found = 0, thinned = 0;        // dependencies; of these left out
  uint64_t thinnedEnds = 0;               // of these, such as need an end
  bool operator==(const DependencyStatistics &) const = default;
  DependencyStatistics &operator+=(const DependencyStatistics &other) {
    accesses += other.accesses, comparisons += other.comparisons;
    found += other.found, thinned += other.thinned, thinnedEnds += other.thinnedEnds;
    return *this;
  }
};

struct Dependencies {
  std::vector<Dependency> edges; // by the later task, then by the earlier one
  std::vector<size_t> first;     // of each task its first edge, and one past the last
  // Of those left out, the ones between transfers of different engines, by the later task: (earlier, later).
  std::vector<std::pair<uint32_t, uint32_t>> thinnedTransfers = {};
  DependencyStatistics statistics;

  size_t numTasks() const { return first.size() - 1; }
  std::span<const Dependency> of(uint32_t task) const {
    return std::span(edges).subspan(first[task], first[task + 1] - first[task]);
  }
};

// `constants` are the bytes of DDR that are read-only, ascending and disjoint.
Dependencies findDependencies(const TaskList &tasks, unsigned tiles, std::span<const ByteRange> constants,
                              Redundancy redundancy = Redundancy::removed);

// Whether the later task must not begin before the earlier one has ended. If not, it is enough that both
// stand in their engine's queue in that order: POD and PE go one by one anyway, and a DMA engine keeps reads
// after reads, writes after writes, and writes after the reads before them, but not reads after writes.
inline bool needsEnd(const Dependency &dependency, EngineId before, EngineId after) {
  return before != after || (isDma(engineOfId(after)) && dependency.is(DependencyKind::readAfterWrite));
}

} // namespace tilerig
