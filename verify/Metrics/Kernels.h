// Compares one chunk of a pair of tensors, in two passes: the first finds extremes and means, the second
// judges and counts the elements. The loops are compiled for several instruction sets (Highway).
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "verify/Metrics/CellTables.h"
#include "verify/Metrics/Comparison.h"

#include <span>

namespace tilerig::verify {

// Number of elements of a chunk, a piece of a tensor. Sums are formed for each chunk, then added up in the
// order of chunks.
inline constexpr size_t chunkElements = size_t{1} << 18;

// Pointers to elements of reference and target, aligned for their types.
struct TensorPair {
  DType referenceType, targetType;
  const std::byte *reference, *target;
};
// Results of the first pass over the data, for the finite elements of one chunk.
struct Extremes {
  double largestReference = 0, secondReference = 0, largestTarget = 0, largestError = 0;
  double sumReference = 0, sumTarget = 0, sumReferenceSquares = 0;
  uint64_t finite = 0;

  // Updates the largest and the second largest magnitude of a reference with the two largest magnitudes of
  // further elements.
  void takeReference(double largest, double second) {
    secondReference = std::max({secondReference, second, std::min(largestReference, largest)});
    largestReference = std::max(largestReference, largest);
  }
};
Extremes findExtremes(const TensorPair &pair, size_t count);

// Results of the first pass over the data that the second pass needs. Elements are multiplied by powers of
// two (the scales) before they are summed, so that their squares neither overflow nor underflow.
struct Centre {
  double referenceScale = 1, targetScale = 1, errorScale = 1;
  double reference = 0, target = 0; // means of both tensors' elements after scaling
};

// The sums of Sums.def over the elements of one chunk, and the chunk's worst elements.
struct ChunkSums {
#define SUM(name, addend) double name = 0;
#include "verify/Metrics/Sums.def"
  std::vector<WorstElement> worst;
};

struct NonFinite {
  uint64_t nan = 0, infinite = 0;
};

// Counts of elements, over all chunks that one thread compares.
struct Counts {
  uint64_t different = 0, nonFiniteAgreeing = 0, nonFiniteDiffering = 0;
  NonFinite reference, target;
  Plane plane;
  UlpHistogram ulps{};
  BitOffHistogram bitsOff{};
  Rails referenceRails, targetRails;

  // Recent counts of each cell of the histogram of elements (Plane.h). Each cell has `copies` counters that
  // are used in turn, because consecutive increments of one counter have to wait for each other. The counters
  // are narrow, so that all fit in the cache.
  static constexpr size_t copies = 2;
  // several counters for each cell of each sheet (subset of elements) of the histogram
  std::vector<uint32_t> recent;
  // Counters that are used instead of `recent` if the limits of the comparison are edges of histogram bins
  // (Grid.h). All elements of a cell then belong to the same subset, so subsets are not counted separately,
  // and the counters are even narrower.
  static constexpr size_t cellCopies = 2;
  // several counters for each cell of the histogram that CellTables.h divides into rows and columns
  std::vector<uint16_t> cells;
  size_t mostInCell = 0; // upper bound of the counts of all counters in `cells`
  CellRule cellRule;
  uint64_t recentElements = 0;

  // Adds the counts of the narrow counters `recent` and `cells` to the histogram of all elements (Plane.h)
  // and clears these counters.
  void settle();
  // Returns narrow counters for counting further elements, after emptying them if one of them might overflow.
  uint16_t *cellsFor(size_t elements);
  void add(const Counts &other);
};
// Parameters of the second pass over the elements, which judges and counts them.
struct SecondPass {
  Rule rule;
  // Lookup tables that give the same results as the rules for single elements; empty if there are none for
  // these limits (cellTablesFor()).
  std::optional<CellTables> tables;
  Centre centre;
  bool allFinite = false; // whether all elements of both tensors are finite
};
// The second pass over a chunk of the tensors. The indices of the worst elements are counted from the first
// element of the chunk.
ChunkSums compareChunk(const TensorPair &pair, size_t count, const SecondPass &pass, Counts &counts);

// Up to 512 elements of reference and target as doubles, with their differences, for scalar loops.
struct WidePair {
  static constexpr size_t most = 512;
  double reference[most], target[most], difference[most];
};
void widenPair(const TensorPair &pair, size_t begin, size_t count, WidePair &wide);

// The type of the two parts of a complex type, such as float32 for complex64; other types are returned
// unchanged.
DType partType(DType type);

} // namespace tilerig::verify
