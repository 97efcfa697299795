// Static memory allocation: the statement of the problem, plans that solve it, checks of both, and a lower
// bound of the peak.
//
// Each buffer has a size and a live range, which is a range of steps of the program. A plan gives every
// buffer an address, so that buffers that are live at the same step share no byte. The peak, which is the end
// of the highest buffer, should be low (dynamic storage allocation, which is NP-hard). Two relations allow
// buffers to share bytes: a buffer may be a part of another one, and a result may replace an operand whose
// last step is the first step of the result.
#pragma once

#include "isa/Base/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::compiler {

// A buffer inside another one (the whole), such as an input of a concatenation inside the concatenation's
// result. Part and whole have live ranges of their own: the whole may begin after its parts and end before
// them.
struct PartOf {
  size_t whole = 0;
  uint64_t offset = 0;
  bool operator==(const PartOf &) const = default;
};

struct Buffer {
  uint64_t size = 0;
  uint64_t alignment = 64;         // alignment of the buffer's address; a power of two
  uint32_t from = 0, to = 0;       // live range of the buffer: first and last step of the program
  std::optional<uint64_t> at = {}; // fixed address of the buffer; empty: the planner chooses the address
  std::optional<PartOf> partOf = {};
  // Indices of operands that this buffer, a result of the same size, may overwrite element by element. It may
  // take the address of such an operand only if the operand ends at the step at which this buffer begins.
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

// Consecutive steps at which the same buffers are live, and a lower bound of the bytes that these need.
struct MemoryStretch {
  uint32_t from = 0, to = 0;
  uint64_t bytes = 0;
  bool operator==(const MemoryStretch &) const = default;
};
// All stretches of a problem (consecutive steps at which the same buffers are alive) in ascending order of
// their steps; steps at which no buffer is alive are left out.
std::vector<MemoryStretch> bytesAlive(const MemoryProblem &problem);
// Lower bound of the peak of all plans: the largest number of live bytes at a step or, if higher, the end of
// the highest buffer at a fixed address.
uint64_t lowerBound(const MemoryProblem &problem);

// Checks a plan by comparing pairs of buffers, independently of the algorithms that make plans: no two
// buffers share bytes without permission, and all are aligned, inside the memory, and at their fixed
// addresses.
Status verifyPlan(const MemoryProblem &problem, const MemoryPlan &plan);

// A pair of buffers: `after` reuses bytes of `before`, whose live range has ended, and no other buffer has
// used those bytes in between. No data dependency orders the two, so the program has to make sure that it no
// longer uses `before` when it begins to use `after`.
struct Takeover {
  size_t before = 0, after = 0;
  bool operator==(const Takeover &) const = default;
};
// All pairs of buffers in a plan of which one reuses bytes of the other, in ascending order of `after`, then
// of `before`.
std::vector<Takeover> takeovers(const MemoryProblem &problem, const MemoryPlan &plan);

} // namespace tilerig::compiler
