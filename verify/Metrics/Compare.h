// Compares every element of two tensors.
//
// Two passes over the data: the first finds the extremes and means that the rules for single elements need,
// the second judges and counts the elements. Chunks have a fixed size and their results are joined in order,
// so results do not depend on the number of threads or the processor. Tensors in memory are read in place. Of
// a tensor in a file, only a few chunks are in memory at a time.
#pragma once

#include "isa/Base/Tensor/TensorStream.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

// Which differences of two tensors are allowed, and how many threads compare them.
struct CompareOptions {
  Limits limits;
  // If set, a match requires that all elements are equal (−0 equals +0), not only that none exceeds the
  // limits.
  bool exact = false;
  // If set, tensors of different types are compared by their values instead of being refused.
  bool acrossTypes = false;
  unsigned threads = 1;
};

// Compares two tensors. Complex tensors are compared as tensors of their parts, each of which counts as an
// element.
Comparison compareTensors(const Tensor &reference, const Tensor &target, const CompareOptions &options = {});
// Like compareTensors(), for tensors that may be larger than memory. Refused if a tensor cannot be read.
Result<Comparison> compareStreams(const TensorStream &reference, const TensorStream &target,
                                  const CompareOptions &options = {});

} // namespace tilerig::verify
