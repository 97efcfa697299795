// Why buffers do not fit, with what a caller needs to choose one to spill, or work to do in turns.
#pragma once

#include "compiler/Memory/MemoryProblem.h"

namespace tilerig {

struct DoesNotFit {
  uint32_t step = 0;   // the fullest
  uint64_t alive = 0;  // bytes that buffers need there, at least
  uint64_t needed = 0; // the smallest peak that was found, or `alive` where that is too much by itself
  uint64_t capacity = 0;
  // Whether no plan can fit; otherwise none was found, since gaps between buffers are left over.
  bool isProved = false;
  std::vector<size_t> buffers; // alive at the step, large ones first

  // For a user who can do no more than choose a larger machine or smaller layers.
  Error error(const MemoryProblem &problem, std::string place) const;
};

// There is a step at which more is alive than fits.
DoesNotFit tooMuchAlive(const MemoryProblem &problem);
// The plan is too high: the fullest step in the life of the buffer that reaches its peak.
DoesNotFit tooHigh(const MemoryProblem &problem, const MemoryPlan &plan);

} // namespace tilerig
