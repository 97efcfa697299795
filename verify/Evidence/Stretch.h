// A contiguous run of elements of both tensors, held in memory: the whole tensor, or, of a large tensor,
// about a million elements around its worst one. Used by measurements that need random access to elements.
#pragma once

#include "verify/Metrics/Comparison.h"

#include <vector>

namespace tilerig::verify {

struct Stretch {
  static constexpr size_t most = size_t{1} << 20;

  size_t elements = 0; // number of elements of the tensor
  size_t begin = 0;    // index of the first element of the stretch
  std::vector<float> reference, target;
  std::vector<size_t> different; // indices in the stretch

  explicit Stretch(const Comparison &comparison);
  // Elements must be added in order, and all of the tensor.
  void add(size_t index, double r, double t);

  size_t size() const { return reference.size(); }
  bool isWhole() const { return size() == elements; }
};

} // namespace tilerig::verify
