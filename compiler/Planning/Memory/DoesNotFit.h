// Explains why buffers do not fit into a memory, so that a caller can choose a buffer to spill or an
// operation to split.
#pragma once

#include "compiler/Planning/Memory/MemoryProblem.h"

namespace tilerig::compiler {

struct DoesNotFit {
  uint32_t step = 0;  // step with the most live bytes
  uint64_t alive = 0; // lower bound of the bytes needed at the step with the most live bytes
  // Lowest peak of memory of all plans that were found. Equals `alive` if `alive` exceeds the capacity, since
  // then no plan is searched for.
  uint64_t needed = 0;
  uint64_t capacity = 0;
  // Whether it is certain that no plan fits. If false, the planner only found no plan that fits, because of
  // fragmentation.
  bool isProved = false;
  std::vector<size_t> buffers; // buffers that are live at the step with the most live bytes, large ones first

  // An error message for users of the compiler, who can only choose a larger machine or smaller layers.
  Error error(const MemoryProblem &problem, std::string place) const;
};

// Makes the explanation for a problem in which the live bytes of some step exceed the capacity.
DoesNotFit tooMuchAlive(const MemoryProblem &problem);
// Makes the explanation for a plan that exceeds the capacity. Its `step` has the most live bytes among the
// steps at which the buffer at the highest address is live.
DoesNotFit tooHigh(const MemoryProblem &problem, const MemoryPlan &plan);

} // namespace tilerig::compiler
