// Compares every element of two tensors.
//
// Two passes over the data: the first finds what the rules need to know beforehand, the second does
// everything else. Chunks have a fixed size and their results are joined in order, so results do not depend
// on the number of threads or the processor. Tensors in memory are read in place; of others a few chunks at a
// time are in memory, and memory grows only by a few hundred bytes a chunk.
#pragma once

#include "isa/Tensor/TensorStream.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

struct CompareOptions {
  Limits limits;
  // A match requires that every element is equal (−0 equals +0), not only that none fails.
  bool exact = false;
  // Compares the values of tensors of different types instead of refusing them.
  bool acrossTypes = false;
  unsigned threads = 1;
};

// Complex tensors are compared as tensors of their parts, each an element.
Comparison compareTensors(const Tensor &reference, const Tensor &target, const CompareOptions &options = {});
// Like compareTensors(), for tensors that may be larger than memory. Refused if a tensor cannot be read.
Result<Comparison> compareStreams(const TensorStream &reference, const TensorStream &target,
                                  const CompareOptions &options = {});

} // namespace tilerig::verify
