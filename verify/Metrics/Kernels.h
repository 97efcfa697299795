// The two passes over a chunk of a pair of tensors, compiled for several instruction sets (Highway).
#pragma once

#include "isa/Tensor/Tensor.h"
#include "verify/Metrics/CellTables.h"
#include "verify/Metrics/Comparison.h"

#include <span>

namespace tilerig::verify {

// Elements of a chunk; sums are formed for each chunk and joined in order.
inline constexpr size_t chunkElements = size_t{1} << 18;

// Pointers to elements of both tensors, aligned for their types.
struct TensorPair {
  DType referenceType, targetType;
  const std::byte *reference, *target;
};
// Results of the first pass over the finite elements of a chunk.
struct Extremes {
  double largestReference = 0, secondReference = 0, largestTarget = 0, largestError = 0;
  double sumReference = 0, sumTarget = 0, sumReferenceSquares = 0;
  uint64_t finite = 0;

  // Merges the two largest references of further elements.
  void takeReference(double largest, double second) {
    secondReference = std::max({secondReference, second, std::min(largestReference, largest)});
    largestReference = std::max(largestReference, largest);
  }
};
Extremes findExtremes(const TensorPair &pair, size_t count);

// Results of the first pass that the second needs. Sums are formed of elements scaled by powers of two, so
// that squares neither overflow nor underflow.
struct Centre {
  double referenceScale = 1, targetScale = 1, errorScale = 1;
  double reference = 0, target = 0; // scaled means
};

// Scaled sums of a chunk, and its worst elements.
struct ChunkSums {
  double absolute = 0, error = 0, errorSquares = 0;
  double referenceSquares = 0, targetSquares = 0, products = 0;
  double centredReference = 0, centredTarget = 0, centredProducts = 0;
  std::vector<WorstElement> worst;
};

// Counts over all chunks of a thread, in any order.
struct Counts {
  uint64_t different = 0, nonFiniteAgreeing = 0, nonFiniteDiffering = 0;
  NonFinite reference, target;
  Plane plane;
  UlpHistogram ulps{};
  BitOffHistogram bitsOff{};
  Rails referenceRails, targetRails;

  // Counters of the cells. Neighbours often fall into the same cell, and consecutive increments of one
  // counter wait for each other. So each counter exists several times, used in turn, and is narrow so that
  // all stay in the cache.
  static constexpr size_t turns = 2;
  std::vector<uint32_t> recent; // indices: sheet, row, column, turn
  // Used instead of `recent` if limits are edges; narrower still.
  static constexpr size_t cellTurns = 2;
  std::vector<uint16_t> cells; // indices: counted row, counted column, turn
  size_t mostInCell = 0;       // upper bound of any counter in `cells`
  CellRule cellRule;
  uint64_t recentElements = 0;

  // Adds the recent counters to the plane and clears them.
  void settle();
  // Returns the cells, after emptying them if a counter might overflow with `elements` more.
  uint16_t *roomFor(size_t elements);
  void add(const Counts &other);
};
// Parameters of the second pass.
struct SecondPass {
  Rule rule;
  std::optional<CellTables> tables; // equivalent to the rule
  Centre centre;
  bool allFinite = false; // all elements of both tensors are finite
};
// Indices of elements are relative to the first element of the pair.
ChunkSums compareChunk(const TensorPair &pair, size_t count, const SecondPass &pass, Counts &counts);

// Elements of both tensors as doubles, with their differences, for scalar loops.
struct WidePair {
  static constexpr size_t most = 512;
  double reference[most], target[most], difference[most];
};
void widenPair(const TensorPair &pair, size_t begin, size_t count, WidePair &wide);

// Type of the parts of a complex type; other types unchanged.
DType partType(DType type);

} // namespace tilerig::verify
