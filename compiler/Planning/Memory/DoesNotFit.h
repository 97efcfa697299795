// Explains why buffers do not fit a memory, with what a caller needs to choose a buffer to spill or an
// operation to split.
#pragma once

#include "compiler/Planning/Memory/MemoryProblem.h"

namespace tilerig::compiler {

struct DoesNotFit {
  uint32_t step = 0;  // step with the most live bytes
  uint64_t alive = 0; // lower bound of the bytes needed at the step with the most live bytes
  // Peak of memory of the best plan that was found. Equals `alive` if that alone exceeds the capacity, since
  // then no plan is searched for.
  uint64_t needed = 0;
  uint64_t capacity = 0;
  // True: no plan can fit. False: the planner found no plan that fits, because of fragmentation.
  bool isProved = false;
  std::vector<size_t> buffers; // buffers alive at the step, large ones first

  // An error message for a user, who can only choose a larger machine or smaller layers.
  Error error(const MemoryProblem &problem, std::string place) const;
};

// The explanation for a problem whose live bytes exceed the capacity at some step.
DoesNotFit tooMuchAlive(const MemoryProblem &problem);
// The explanation for a plan that exceeds the capacity. Its `step` is the one with the most live bytes during
// the lifetime of the buffer that reaches the plan's peak.
DoesNotFit tooHigh(const MemoryProblem &problem, const MemoryPlan &plan);

} // namespace tilerig::compiler
