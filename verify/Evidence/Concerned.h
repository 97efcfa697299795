// Finds the channels, rows and columns of a tensor that hold wrong elements.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/TensorStream.h"
#include "verify/Metrics/Comparison.h"

#include <string>
#include <vector>

namespace tilerig::verify {

// The indices from `first` to `last`, both included.
struct IndexRange {
  size_t first = 0, last = 0;
  bool operator==(const IndexRange &) const = default;
};

// Size of an axis and the ranges of its indices that have a wrong element, in ascending order.
struct ConcernedAxis {
  size_t size = 1;
  std::vector<IndexRange> ranges;
};

// Which channels, rows and columns (Place.h) hold the wrong elements of a tensor. In a tensor of one or two
// axes the last axis counts as channels only.
struct Concerned {
  uint64_t elements = 0; // number of wrong elements
  ConcernedAxis channels, rows, columns;
};

// Finds the wrong elements of a tensor: those that exceed the limits of the comparison or, with
// `everyDifference`, all that differ.
Result<Concerned> findConcerned(const TensorStream &reference, const TensorStream &target,
                                const Comparison &comparison, bool everyDifference);

// Describes which elements are wrong: "40 elements; channels 3, 5-7 of 64; all 8 rows; columns 0 of 8". Axes
// of size 1 are left out. If there are many ranges, only the first few are listed.
std::string inWords(const Concerned &concerned);

} // namespace tilerig::verify
