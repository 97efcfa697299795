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

// Number of lifetime classes. Most buffers live for a few steps of the program only, so buffers are indexed
// by class: those that live up to 4 steps, those of the rest that live up to 16, then 64, ...
inline constexpr size_t numLifespans = 16;
constexpr uint32_t mostSteps(size_t lifespan) { return UINT32_MAX >> (30 - 2 * lifespan); }

// Where to look for the buffers that live at the same time as a given buffer: the range of start steps at
// which such buffers may begin. Start steps are stated as indices into the sorted list of the steps at which
// any buffer begins.
struct Window {
  std::array<uint32_t, numLifespans> first = {}; // first start step of the range for each lifetime class
  // Start step of the given buffer, and first start step behind the range.
  uint32_t own = 0, end = 0;
};

struct Bodies {
  const MemoryProblem &problem; // memory problem, which must outlive this object
  std::vector<Body> bodies;
  uint32_t numStarts = 0;      // number of distinct steps at which buffers begin
  std::vector<Window> windows; // where to look for buffers that live at the same time as a buffer
};

// The bodies (buffers with all their parts) of a problem, sorted by the index of the outermost buffer.
std::vector<Body> bodiesOf(const MemoryProblem &problem);
// The bodies of a problem, with tables for algorithms that place bodies one at a time.
Bodies formBodies(const MemoryProblem &problem);

// Number of bytes that the live buffers of a body occupy at a step; bytes of several buffers count once.
uint64_t bytesAt(const MemoryProblem &problem, const Body &body, uint32_t step);

} // namespace tilerig::compiler
