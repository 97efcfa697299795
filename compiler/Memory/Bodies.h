// What is placed as one piece: a buffer with all its parts, which keep their distances. Parts that come and
// go at different steps make it a staircase, and others may lie on its steps.
#pragma once

#include "compiler/Memory/MemoryProblem.h"

#include <array>
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

// Most buffers live for a few steps only. So they are told apart by how long they live: for up to 4,
// 16, 64... steps, those of the spans before left out.
inline constexpr size_t numLifespans = 16;
constexpr uint32_t mostSteps(size_t lifespan) { return UINT32_MAX >> (30 - 2 * lifespan); }

// Where, among the steps at which buffers begin, those begin that may live together with a buffer.
struct Window {
  std::array<uint32_t, numLifespans> first = {}; // by how long they live
  uint32_t own = 0, end = 0;                     // its own begin; behind its end
};

struct Bodies {
  const MemoryProblem &problem; // outlives this
  std::vector<Body> bodies;
  uint32_t numStarts = 0;      // steps at which buffers begin
  std::vector<Window> windows; // by buffer
};

// In the order of their wholes.
std::vector<Body> bodiesOf(const MemoryProblem &problem);
// The same, and what who places them one by one looks up again and again.
Bodies formBodies(const MemoryProblem &problem);

// Bytes that members have at a step, each counted once.
uint64_t bytesAt(const MemoryProblem &problem, const Body &body, uint32_t step);

} // namespace tilerig
