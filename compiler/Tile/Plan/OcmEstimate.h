// Estimates how many bytes of an OCM the chosen splits occupy, before buffers have addresses.
#pragma once

#include "compiler/Tile/Plan/ArrivalCycles.h"

namespace tilerig::compiler {

class OcmEstimate {
public:
  // Both arguments must outlive this object. The splits in `chosen` may change between calls.
  OcmEstimate(const SplitProblem &problem, const ChosenSplits &chosen) : problem(problem), chosen(chosen) {}

  // Bytes that the step uses in an OCM for its result and its operands, and for its constants unless these
  // are pinned (stay in the OCM all the time).
  uint64_t bytesOfStep(size_t step) const;
  // Bytes of tensors that earlier steps have computed and that later steps, but not this step, read.
  uint64_t bytesWaiting(size_t step) const;
  // Bytes of the constants of all steps that are pinned (stay in the OCM all the time).
  uint64_t pinnedBytes() const;
  // For each step, the bytes in an OCM beside pinned constants: what the step uses, and tensors that wait for later
  // steps. Zero for steps on the host.
  std::vector<uint64_t> bytesInUse() const;

private:
  uint64_t bytesKept(TensorIndex tensor) const;
  template <class BytesOfTensor>
  uint64_t bytesOfStep(size_t step, BytesOfTensor bytesOf) const;

  const SplitProblem &problem;
  const ChosenSplits &chosen;
};

} // namespace tilerig::compiler
