// Index sets: which rows (or columns) of an image a windowed or resampling instruction reads.
//
// Rows and columns are selected independently, so the pixels that are read are the Cartesian product of two
// index sets. A run is a range of consecutive indices. Each set is a short list of arithmetic progressions of
// runs: a single run for an ordinary convolution, or a progression if the stride exceeds the kernel (every
// second row for a 1 x 1 kernel of stride 2), with shorter runs at the border.
#pragma once

#include "isa/Instructions/Pe.h"

#include <cstdint>
#include <vector>

namespace tilerig {

// An arithmetic progression of runs: `count` runs of `length` indices each, starting `stride` indices apart.
struct IndexRuns {
  uint64_t first = 0, length = 1, count = 1, stride = 0;
  bool operator==(const IndexRuns &) const = default;
};
// A set of indices: disjoint progressions in ascending order.
using IndexSet = std::vector<IndexRuns>;

// The windows along one axis of an image. Tap t < `taps` of window o < `outputs` has the index
// o * stride - pad + t * dilation; windowIndices() returns all indices that lie in the image, 0 .. size-1.
struct TapAxis {
  uint64_t outputs, taps, stride, dilation, pad, size;
};
IndexSet windowIndices(const TapAxis &axis);
// Whether at least one tap of a window lies inside the image.
bool touchesAny(const TapAxis &axis);

// All indices that a resize reads along one axis: floor((o * numerator + offset) / denominator) + t, for
// every output o < `outputs` and for every tap t that the interpolation mode combines, clamped to 0 ..
// size-1.
IndexSet resizeIndices(const ResizeAxis &axis, ResizeMode mode, uint64_t outputs, uint64_t size);

// Compresses ascending runs, which may touch or overlap, into arithmetic progressions.
class IndexSetBuilder {
public:
  void add(uint64_t first, uint64_t length);
  IndexSet take();

private:
  void flush();

  IndexSet set;
  uint64_t begin = 0, end = 0; // current run of indices, which may still be extended
};

} // namespace tilerig
