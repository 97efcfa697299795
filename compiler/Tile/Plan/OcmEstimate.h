// Estimates how many bytes of an OCM the chosen splits occupy, before buffers have addresses.
#pragma once

#include "compiler/Tile/Plan/ArrivalCycles.h"

namespace tilerig::compiler {

class OcmEstimate {
public:
  // `problem` and `chosen` must outlive the estimate. The splits in `chosen` may change between calls.
  OcmEstimate(const SplitProblem &problem, const ChosenSplits &chosen) : problem(problem), chosen(chosen) {}

  // Bytes that the step uses in an OCM: its result, its operands, and its constants unless they are pinned
  // (stay in the OCM all the time).
  uint64_t bytesOfStep(size_t step) const;
  // Bytes of tensors that are computed before the step and read after it, but not by it.
  uint64_t bytesWaiting(size_t step) const;
  // Bytes of the constants of all steps that are pinned (stay in the OCM all the time).
  uint64_t pinnedBytes() const;
  // Peak of the bytes in an OCM over all steps: pinned constants, what the step uses, and tensors that wait
  // for later steps.
  uint64_t peakBytes() const;

private:
  uint64_t bytesKept(TensorIndex tensor) const;
  template <class BytesOfTensor>
  uint64_t bytesOfStep(size_t step, BytesOfTensor bytesOf) const;

  const SplitProblem &problem;
  const ChosenSplits &chosen;
};

} // namespace tilerig::compiler
