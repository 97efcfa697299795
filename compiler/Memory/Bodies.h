// What is placed as one piece: a buffer with all its parts, which keep their distances. Parts that come and
// go at different steps make it a staircase, and others may lie on its steps.
#pragma once

#include "compiler/Memory/MemoryProblem.h"

#include <span>

namespace tilerig {

struct BodyMember {
  size_t buffer = 0;
  uint64_t offset = 0; // from the start of the body
};

struct Body {
  std::vector<BodyMember> members; // the whole of all first
  uint64_t size = 0, alignment = 1;
  uint32_t from = 0, to = 0;
  std::optional<uint64_t> at = {};
};

struct Bodies {
  const MemoryProblem &problem; // outlives this
  std::vector<Body> bodies;     // in the order of their wholes
  std::vector<uint32_t> starts; // steps at which buffers begin, ascending
};

Bodies formBodies(const MemoryProblem &problem);

// Bytes that members have at a step, each counted once.
uint64_t bytesAt(const MemoryProblem &problem, const Body &body, uint32_t step);

} // namespace tilerig
