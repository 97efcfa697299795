// Data dependencies between tasks (RAW, WAR, WAW), from the exact bytes that each task reads and writes.
//
// Two tasks depend on each other if they access a common byte and at least one writes it; the one listed
// first comes first. Dependencies that follow transitively from others are left out, within a window of
// recent tasks. Reads of constants cause no dependencies.
#pragma once

#include "compiler/Planning/Schedule/Task.h"
#include "isa/Instructions/Region.h"

#include <span>

namespace tilerig::compiler {

enum class DependencyKind : uint8_t { readAfterWrite = 1, writeAfterRead = 2, writeAfterWrite = 4 };

struct Dependency {
  uint32_t before = 0; // index of the earlier task, on which the later one depends
  uint8_t kinds = 0;   // kinds of the dependency (RAW, WAR, WAW), as a bit mask of DependencyKind
  bool operator==(const Dependency &) const = default;

  bool is(DependencyKind kind) const { return kinds & static_cast<uint8_t>(kind); }
};

// Whether to remove dependencies that follow from others. Keeping them is correct, and serves to measure what
// their removal saves.
enum class Redundancy : uint8_t { removed, kept };

struct DependencyStatistics {
  // number of accesses to memory, and number of pairs of accesses that were compared
  uint64_t accesses = 0, comparisons = 0;
  // Number of dependencies, and number of those that were removed because they follow from others.
  uint64_t total = 0, thinned = 0;
  // How many of the removed dependencies require that the later task waits for the end of the earlier one
  // (needsEnd()).
  uint64_t thinnedEnds = 0;
  bool operator==(const DependencyStatistics &) const = default;
  DependencyStatistics &operator+=(const DependencyStatistics &other) {
    accesses += other.accesses, comparisons += other.comparisons;
    total += other.total, thinned += other.thinned, thinnedEnds += other.thinnedEnds;
    return *this;
  }
};

struct Dependencies {
  std::vector<Dependency> edges; // all dependencies, sorted by the later task, then by the earlier one
  // for each task, the index of its first dependency; then the number of all dependencies
  std::vector<size_t> first;
  // Removed dependencies between transfers of different DMA engines, as pairs (earlier task, later task),
  // sorted by the later one.
  std::vector<std::pair<uint32_t, uint32_t>> thinnedTransfers = {};
  DependencyStatistics statistics;

  size_t numTasks() const { return first.size() - 1; }
  std::span<const Dependency> of(uint32_t task) const {
    return std::span(edges).subspan(first[task], first[task + 1] - first[task]);
  }
};

// Finds the dependencies between tasks. `constants` are the read-only byte ranges of DDR, ascending and
// disjoint.
Dependencies findDependencies(const TaskList &tasks, unsigned tiles, std::span<const ByteRange> constants,
                              Redundancy redundancy = Redundancy::removed);

// Whether the later task must wait until the earlier one has ended. If not, the order in the queue of their
// common engine is enough: the POD (matrix engine) and the PE (vector engine) run one task at a time. A DMA
// engine keeps reads in order, writes in order, and writes after earlier reads, but it may begin a read
// before an earlier write has ended.
inline bool needsEnd(const Dependency &dependency, EngineId before, EngineId after) {
  return before != after || (isDma(engineOfId(after)) && dependency.is(DependencyKind::readAfterWrite));
}

} // namespace tilerig::compiler
