// Elements of both tensors that lie in memory: all of them, or, of a large tensor, a million around its worst
// element. For what has to look at many places for one element.
#pragma once

#include "verify/Metrics/Comparison.h"

#include <vector>

namespace tilerig::verify {

struct Stretch {
  static constexpr size_t most = size_t{1} << 20;

  size_t elements = 0; // of the tensor
  size_t begin = 0;    // the first one's index in it
  std::vector<float> reference, target;
  std::vector<size_t> different; // places in the stretch

  explicit Stretch(const Comparison &comparison);
  // Elements come in order, all of the tensor.
  void add(size_t index, double r, double t);

  size_t size() const { return reference.size(); }
  bool isWhole() const { return size() == elements; }
};

} // namespace tilerig::verify
