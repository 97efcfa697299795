// Bodies: units of placement. A body is a buffer with all its parts at fixed offsets. The buffers of a body
// may have different lifetimes. While no live buffer of the body covers a byte, another body may use that
// byte.
#pragma once

#include "compiler/Planning/Memory/MemoryProblem.h"

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

// Number of lifetime classes, by which buffers are indexed, because most buffers live for a few steps of the
// program only. The first class has the buffers that live up to 4 steps, the second those that live up to 16,
// the third those that live up to 64, and so on.
inline constexpr size_t numLifespans = 16;
constexpr uint32_t mostSteps(size_t lifespan) { return UINT32_MAX >> (30 - 2 * lifespan); }

// Where to look for the buffers that may live at the same time as a given buffer: the range of steps at which
// such buffers may begin. Steps are stated as indices into the sorted list of all steps at which a buffer
// begins.
struct Window {
  // for each lifetime class, the first step of the range at which its buffers may begin
  std::array<uint32_t, numLifespans> first = {};
  // The step at which the given buffer begins, and the step behind the range.
  uint32_t own = 0, end = 0;
};

struct Bodies {
  const MemoryProblem &problem; // memory problem, which must outlive this object
  std::vector<Body> bodies;
  uint32_t numStarts = 0;      // number of distinct steps at which buffers begin
  std::vector<Window> windows; // for each buffer, where to look for buffers that live at the same time
};

// The bodies (buffers with all their parts) of a memory problem, sorted by the index of their outermost
// buffer.
std::vector<Body> bodiesOf(const MemoryProblem &problem);
// The bodies of a memory problem, with lookup tables for algorithms that place bodies one at a time.
Bodies formBodies(const MemoryProblem &problem);

// Number of bytes that the live buffers of a body occupy at a step; overlapping bytes count once.
uint64_t bytesAt(const MemoryProblem &problem, const Body &body, uint32_t step);

} // namespace tilerig::compiler
