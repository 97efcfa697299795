// Computes the metrics of a comparison (Metrics.def) from what the second pass over the data found.
#pragma once

#include "verify/Metrics/Kernels.h"

namespace tilerig::verify {

// What the two passes over the elements of both tensors found.
struct PassResults {
  DType referenceType, targetType;
  Centre centre;
  uint64_t finite = 0; // number of elements that are finite in reference and target
  ChunkSums sums;
  Counts counts;
};

// Adds up the sums of all chunks, in their order, and keeps the worst elements.
ChunkSums join(const std::vector<ChunkSums> &chunks);

// Sets all results of a comparison: metrics, buckets, histograms, worst elements and plane (histogram by
// relative error and order of magnitude, Plane.h). The limits of the comparison must be set already.
void writeMetrics(PassResults results, Comparison &comparison);

} // namespace tilerig::verify
