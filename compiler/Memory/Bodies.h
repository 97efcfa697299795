// Bodies: units of placement. A body is a buffer with all its parts at fixed offsets. Parts with different
// lifetimes make it a staircase in time, and other bodies may use the space above the steps.
#pragma once

#include "compiler/Memory/MemoryProblem.h"

#include <array>
#include <span>

namespace tilerig::compiler {

struct BodyMember {
  size_t buffer = 0;
  uint64_t offset = 0; // offset in bytes from the start of the body
};

struct Body {
  std::vector<BodyMember> members; // outermost buffer first
  uint64_t size = 0, alignment = 1;
  uint32_t from = 0, to = 0;
  std::optional<uint64_t> at = {};
};

// Classes of lifetimes. Most buffers live for a few steps only, so they are indexed by lifetime: up to 4, 16,
// 64, ... steps, each class without the ones before.
inline constexpr size_t numLifespans = 16;
constexpr uint32_t mostSteps(size_t lifespan) { return UINT32_MAX >> (30 - 2 * lifespan); }

// For a buffer: the range of start steps (indices into the sorted steps at which buffers begin) at which
// buffers of each lifetime class may begin and overlap with it in time.
struct Window {
  std::array<uint32_t, numLifespans> first = {}; // by lifetime class, the earliest start step
  uint32_t own = 0, end = 0;                     // index of its own start step; one past its last
};

struct Bodies {
  const MemoryProblem &problem; // has to outlive this object
  std::vector<Body> bodies;
  uint32_t numStarts = 0;      // number of distinct steps at which buffers begin
  std::vector<Window> windows; // by buffer
};

// Sorted by the index of the outermost buffer.
std::vector<Body> bodiesOf(const MemoryProblem &problem);
// The same, with tables for algorithms that place bodies one at a time.
Bodies formBodies(const MemoryProblem &problem);

// Bytes that the body's buffers occupy at a step; overlapping parts count once.
uint64_t bytesAt(const MemoryProblem &problem, const Body &body, uint32_t step);

} // namespace tilerig::compiler
