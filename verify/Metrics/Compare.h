// Compares two tensors, every element of them.
//
// Two passes over the data, the first for what the rules need to know beforehand, the second for everything
// else; in chunks of a fixed size whose results are joined in their order, so that nothing depends on the
// number of threads or on the processor. Tensors in memory are read where they lie; of others a few chunks at
// a time are in memory, and nothing grows with them but for a few hundred bytes a chunk.
#pragma once

#include "isa/Tensor/TensorStream.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

struct CompareOptions {
  Limits limits;
  // A match is equality of every element (−0 equals +0), rather than none that fails.
  bool exact = false;
  // Compares the values of tensors of different types, instead of refusing them.
  bool acrossTypes = false;
  unsigned threads = 1;
};

// Complex numbers are compared as their parts, each an element.
Comparison compareTensors(const Tensor &reference, const Tensor &target, const CompareOptions &options = {});
// The same of tensors that may be larger than memory; refused where one cannot be read.
Result<Comparison> compareStreams(const TensorStream &reference, const TensorStream &target,
                                  const CompareOptions &options = {});

} // namespace tilerig::verify
