// Which rows (or columns) of an image an instruction touches.
//
// Rows and columns are chosen independently, so the pixels that a window or a resampling reads are a product
// of two sets of indices. Each set is a few arithmetic progressions of runs: one run for an ordinary
// convolution, every second row for a stride above the kernel, clipped pieces at the border.
#pragma once

#include "isa/Instructions/Pe.h"

#include <cstdint>
#include <vector>

namespace tilerig {

// `count` runs of `length` indices, `stride` apart.
struct IndexRuns {
  uint64_t first = 0, length = 1, count = 1, stride = 0;
  bool operator==(const IndexRuns &) const = default;
};
// Ascending and disjoint.
using IndexSet = std::vector<IndexRuns>;

// Indices o * stride - pad + t * dilation for o below `outputs` and t below `taps`, where they fall into 0 ..
// size-1.
struct TapAxis {
  uint64_t outputs, taps, stride, dilation, pad, size;
};
IndexSet windowIndices(const TapAxis &axis);
// Whether there is any such index.
bool touchesAny(const TapAxis &axis);

// Indices floor((o * numerator + offset) / denominator) + t for t of the mode's taps, clamped to 0 .. size-1.
IndexSet resizeIndices(const ResizeAxis &axis, ResizeMode mode, uint64_t outputs, uint64_t size);

// Collects ascending runs, which may touch or overlap, into progressions.
class IndexSetBuilder {
public:
  void add(uint64_t first, uint64_t length);
  IndexSet take();

private:
  void flush();

  IndexSet set;
  uint64_t begin = 0, end = 0; // the run that may still grow
};

} // namespace tilerig
