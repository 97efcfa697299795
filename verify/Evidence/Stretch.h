// A contiguous run of elements of reference and target, held in memory: all elements or, if the tensor is
// large, about a million elements around the one with the largest error. Used by measurements that need
// random access to elements.
#pragma once

#include "verify/Metrics/Comparison.h"

#include <vector>

namespace tilerig::verify {

struct Stretch {
  static constexpr size_t most = size_t{1} << 20;

  size_t elements = 0; // number of elements of the tensor
  size_t begin = 0;    // index in the tensor of the first element that is held in memory
  std::vector<float> reference, target;
  // Indices of the elements that differ, counted from the first element that is held.
  std::vector<size_t> different;

  explicit Stretch(const Comparison &comparison);
  // Adds element number `index`, with reference r and target t. Must be called for all elements of the
  // tensor, in order.
  void add(size_t index, double r, double t);

  size_t size() const { return reference.size(); }
  bool isWhole() const { return size() == elements; }
};

} // namespace tilerig::verify
