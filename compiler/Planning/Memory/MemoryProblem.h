// Static memory allocation: the problem, its checks, the plan, its verification, and a lower bound of the
// peak.
//
// A buffer is a rectangle in an address-time plane: its bytes for its steps (its live range). Rectangles must
// not overlap. The problem is to find addresses that minimise the peak (dynamic storage allocation, which is
// NP-hard). Two relations allow buffers to share bytes: a buffer may be a part of another one, and a result
// may replace an operand whose last step is the first step of the result.
#pragma once

#include "isa/Base/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::compiler {

// A buffer inside another one (the whole), such as an input of a concatenation inside the concatenation's
// result. Each has its own live range: the whole may begin after its parts and end before them.
struct PartOf {
  size_t whole = 0;
  uint64_t offset = 0;
  bool operator==(const PartOf &) const = default;
};

struct Buffer {
  uint64_t size = 0;
  uint64_t alignment = 64;         // alignment of the buffer's address; a power of two
  uint32_t from = 0, to = 0;       // live range of the buffer in steps of the program, inclusive
  std::optional<uint64_t> at = {}; // address that the planner may not change; empty: the planner chooses
  std::optional<PartOf> partOf = {};
  // Indices of operands of equal size that this buffer may overwrite element by element. Allowed for an
  // operand that ends at the step at which this buffer begins, at the same address; an operand that lives
  // longer is not replaced.
  std::vector<size_t> mayReplace = {};
};

struct MemoryProblem {
  uint64_t base = 0, capacity = 0; // the memory has the bytes base .. base + capacity - 1
  std::vector<Buffer> buffers;
};

struct MemoryPlan {
  std::vector<uint64_t> addresses; // address of the first byte of each buffer
  uint64_t peak = 0;               // bytes from the base of the memory to the end of the highest buffer
  std::string algorithm;
};

// Returns an error for an inconsistent problem: an empty buffer, an invalid alignment, a live range that ends
// before it begins, parts that exceed their whole or overlap in it, fixed addresses outside the memory or
// overlapping, operands in `mayReplace` that have another size or end before the result begins. All other
// functions expect a checked problem.
Status checkProblem(const MemoryProblem &problem);

// Consecutive steps at which the same buffers are alive, and a lower bound of the bytes they need.
struct MemoryStretch {
  uint32_t from = 0, to = 0;
  uint64_t bytes = 0;
  bool operator==(const MemoryStretch &) const = default;
};
// All stretches of a problem (consecutive steps at which the same buffers are alive) in ascending order of
// their steps; steps at which no buffer is alive are left out.
std::vector<MemoryStretch> bytesAlive(const MemoryProblem &problem);
// Lower bound of the peak of all plans: the most bytes alive at a step, or the end of the highest fixed
// buffer.
uint64_t lowerBound(const MemoryProblem &problem);

// Checks a plan pair by pair, independently of the algorithms: no two buffers share bytes without permission,
// and all are aligned, inside the memory, and at their fixed addresses.
Status verifyPlan(const MemoryProblem &problem, const MemoryPlan &plan);

// Buffer `after` reuses bytes of `before`, which has ended, with no other buffer on those bytes in between.
// The program must have ended its use of `before` when it begins to use `after`; no data dependency ensures
// that.
struct Takeover {
  size_t before = 0, after = 0;
  bool operator==(const Takeover &) const = default;
};
// All takeovers of a plan (pairs of buffers of which one reuses bytes of the other), in ascending order of
// `after`, then of `before`.
std::vector<Takeover> takeovers(const MemoryProblem &problem, const MemoryPlan &plan);

} // namespace tilerig::compiler
