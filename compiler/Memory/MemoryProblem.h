// Where buffers lie in a memory: the problem, what makes a plan right, and the bound that none undercuts.
//
// A memory is a row of bytes, a program a row of steps, and a buffer a rectangle: so many bytes for so many
// steps. Rectangles must not overlap; their heights are to be found, so that the highest is as low as can be
// (dynamic storage allocation, which is NP-hard). Two relations let buffers share bytes all the same: one
// may be a part of another, and a result may replace an operand that ends where it begins.
#pragma once

#include "isa/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilerig {

// A buffer that lies inside another, as an input of a concatenation does in its result. Each of the two has
// its bytes for as long as it says itself: the whole may begin after its parts, and end before them.
struct PartOf {
  size_t whole = 0;
  uint64_t offset = 0;
  bool operator==(const PartOf &) const = default;
};

struct Buffer {
  uint64_t size = 0;
  uint64_t alignment = 64;         // of its address; a power of two
  uint32_t from = 0, to = 0;       // steps of the program, both included
  std::optional<uint64_t> at = {}; // where it has to be, if somebody has decided already
  std::optional<PartOf> partOf = {};
  // Operands of its size that it may be written over, element by element: allowed where one ends at the step
  // at which this begins, and has the same address. One that lives on is left alone.
  std::vector<size_t> mayReplace = {};
};

struct MemoryProblem {
  uint64_t base = 0, capacity = 0; // bytes base .. base + capacity - 1
  std::vector<Buffer> buffers;
};

struct MemoryPlan {
  std::vector<uint64_t> addresses; // of each buffer
  uint64_t peak = 0;               // bytes from base to the end of the highest
  std::string algorithm;
};

// Refuses a problem that contradicts itself: an empty buffer, an alignment that is none, a life that ends
// before it begins, parts that reach beyond their whole or that meet in it, fixed places that are outside or
// meet, operands of another size or that have ended before. Everything else here takes checked problems.
Status checkProblem(const MemoryProblem &problem);

// Steps throughout which the same buffers are alive, and how many bytes they need at least.
struct MemoryStretch {
  uint32_t from = 0, to = 0;
  uint64_t bytes = 0;
  bool operator==(const MemoryStretch &) const = default;
};
// Ascending; steps at which nothing is alive are left out.
std::vector<MemoryStretch> bytesAlive(const MemoryProblem &problem);
// No plan has a smaller peak: the most bytes alive at one step, or the end of the highest fixed buffer.
uint64_t lowerBound(const MemoryProblem &problem);

// Looks at every pair of buffers that live together, whoever made the plan: nobody shares bytes who may not,
// and all are aligned, inside the memory, and where they have to be.
Status verifyPlan(const MemoryProblem &problem, const MemoryPlan &plan);

// `before` has ended and `after` has bytes of it, with nobody in between on those bytes. Nothing but this
// says that the program has to finish with the one before it begins with the other.
struct Takeover {
  size_t before = 0, after = 0;
  bool operator==(const Takeover &) const = default;
};
// Ascending by `after`, then by `before`.
std::vector<Takeover> takeovers(const MemoryProblem &problem, const MemoryPlan &plan);

} // namespace tilerig
