// Which channels, rows and columns of a tensor hold elements that are wrong.
#pragma once

#include "isa/Support/Error.h"
#include "isa/Tensor/TensorStream.h"
#include "verify/Metrics/Comparison.h"

#include <string>
#include <vector>

namespace tilerig::verify {

// Indices from `first` to `last`, both included.
struct IndexRange {
  size_t first = 0, last = 0;
  bool operator==(const IndexRange &) const = default;
};

// An axis of `size` indices, and those at which an element is wrong, ascending and without gaps in a range.
struct ConcernedAxis {
  size_t size = 1;
  std::vector<IndexRange> ranges;
};

// Axes are those of Place.h: of a tensor of one or two axes the last one counts as channels only.
struct Concerned {
  uint64_t elements = 0; // that are wrong
  ConcernedAxis channels, rows, columns;
};

// An element is wrong that failed the limits of the comparison; with `everyDifference` each that differs.
Result<Concerned> findConcerned(const TensorStream &reference, const TensorStream &target,
                                const Comparison &comparison, bool everyDifference);

// "40 elements; channels 3, 5-7 of 64; all 8 rows; columns 0 of 8": axes of one index are left out, and of
// many ranges the first few are shown with the number of indices.
std::string inWords(const Concerned &concerned);

} // namespace tilerig::verify
