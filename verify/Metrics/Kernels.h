// The two passes over a chunk of a pair of tensors, compiled for each instruction set.
#pragma once

#include "isa/Tensor/Tensor.h"
#include "verify/Metrics/CellTables.h"
#include "verify/Metrics/Comparison.h"

#include <span>

namespace tilerig::verify {

// So many elements make the sums that are joined in order.
inline constexpr size_t chunkElements = size_t{1} << 18;

// Elements of both, aligned for their types.
struct TensorPair {
  DType referenceType, targetType;
  const std::byte *reference, *target;
};
// What the first pass finds in the finite elements of a chunk.
struct Extremes {
  double largestReference = 0, secondReference = 0, largestTarget = 0, largestError = 0;
  double sumReference = 0, sumTarget = 0, sumReferenceSquares = 0;
  uint64_t finite = 0;

  // The two largest of some more elements.
  void takeReference(double largest, double second) {
    secondReference = std::max({secondReference, second, std::min(largestReference, largest)});
    largestReference = std::max(largestReference, largest);
  }
};
Extremes findExtremes(const TensorPair &pair, size_t count);

// What the second pass needs of the first. Sums are formed of elements times powers of two, so that squares
// neither overflow nor vanish.
struct Centre {
  double referenceScale = 1, targetScale = 1, errorScale = 1;
  double reference = 0, target = 0; // means, scaled
};

// Sums of a chunk, scaled, and its worst elements.
struct ChunkSums {
  double absolute = 0, error = 0, errorSquares = 0;
  double referenceSquares = 0, targetSquares = 0, products = 0;
  double centredReference = 0, centredTarget = 0, centredProducts = 0;
  std::vector<WorstElement> worst;
};

// Counts of all chunks that a thread has seen: their order does not matter.
struct Counts {
  uint64_t different = 0, nonFiniteAgreeing = 0, nonFiniteDiffering = 0;
  NonFinite reference, target;
  Plane plane;
  UlpHistogram ulps{};
  BitOffHistogram bitsOff{};
  Rails referenceRails, targetRails;

  // Neighbours often fall into one cell, and a counter takes its time from one increment to the next: there
  // are several of each, taken in turn, and narrow so that they stay in the cache.
  static constexpr size_t turns = 2;
  std::vector<uint32_t> recent; // sheet, row, column, turn
  // Where limits are edges, instead of it: narrower still.
  static constexpr size_t cellTurns = 2;
  std::vector<uint16_t> cells; // counted row, counted column, turn
  size_t mostInCell = 0;       // that may be in any of them
  CellRule cellRule;
  uint64_t recentElements = 0;

  // What was counted recently, into the plane.
  void settle();
  // The cells, once there is room for so many elements in any of them.
  uint16_t *roomFor(size_t elements);
  void add(const Counts &other);
};
// What the second pass is told.
struct SecondPass {
  Rule rule;
  std::optional<CellTables> tables; // which say the same as the rule
  Centre centre;
  bool allFinite = false; // all elements of both tensors
};
// Places of elements are counted from the pair's first.
ChunkSums compareChunk(const TensorPair &pair, size_t count, const SecondPass &pass, Counts &counts);

// Elements of both as doubles, with their differences, for those who look at one after the other.
struct WidePair {
  static constexpr size_t most = 512;
  double reference[most], target[most], difference[most];
};
void widenPair(const TensorPair &pair, size_t begin, size_t count, WidePair &wide);

// Complex numbers are pairs of their parts.
DType partType(DType type);

} // namespace tilerig::verify
