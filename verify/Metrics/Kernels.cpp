#include "verify/Metrics/Kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "verify/Metrics/Kernels.cpp"
#include "isa/Numerics/Targets.h"

#include <hwy/foreach_target.h>

#include "verify/Metrics/Counts-inl.h"
#include "verify/Metrics/Sums-inl.h"
#include "verify/Metrics/Worst.h"

HWY_BEFORE_NAMESPACE();
namespace tilerig::verify::HWY_NAMESPACE {

// Floats are looked at where they lie. Gives how many there were, or nothing where not all are finite.
inline size_t addFloatExtremes(const TensorPair &pair, size_t begin, size_t count, LaneExtremes &lanes) {
  if (!areFloats(pair) || count % numLanes)
    return 0;
  const LaneExtremes before = lanes;
  const FromFloats floats{floatsOf(pair.reference) + begin, floatsOf(pair.target) + begin, count};
  if (addExtremes(floats, lanes))
    return count;
  lanes = before;
  return 0;
}

inline size_t addBlockExtremes(const TensorPair &pair, size_t begin, size_t count, LaneExtremes &lanes) {
  if (const size_t added = addFloatExtremes(pair, begin, count, lanes))
    return added;
  Block block;
  fill(pair, begin, count, nullptr, block);
  addExtremes(FromBlock{block, padWithZeros(block)}, lanes);
  return block.count;
}

Extremes extremesOf(const TensorPair &pair, ChunkRange range) {
  Extremes extremes;
  LaneExtremes lanes;
  for (size_t begin = range.begin; begin < range.end; begin += blockElements)
    extremes.finite += addBlockExtremes(pair, begin, std::min(blockElements, range.end - begin), lanes);
  for (size_t lane = 0; lane < numLanes; ++lane)
    extremes.takeReference(lanes.reference[lane], lanes.second[lane]);
  extremes.largestTarget = largestOf(lanes.target);
  extremes.largestError = largestOf(lanes.error);
  extremes.sumReference = sumOf(lanes.sumReference);
  extremes.sumTarget = sumOf(lanes.sumTarget);
  extremes.sumReferenceSquares = sumOf(lanes.squares);
  return extremes;
}

inline ChunkSums joined(const LaneSums &lanes) {
  return {sumOf(lanes.absolute),         sumOf(lanes.error),
          sumOf(lanes.errorSquares),     sumOf(lanes.referenceSquares),
          sumOf(lanes.targetSquares),    sumOf(lanes.products),
          sumOf(lanes.centredReference), sumOf(lanes.centredTarget),
          sumOf(lanes.centredProducts),  {}};
}

inline void addWorst(Block &block, WorstList &worst) {
  if (!worst.takes(block.largestError))
    return;
  const Part d;
  padWithZeros(block);
  for (size_t begin = 0; begin < block.count; begin += partLanes) {
    const Vector sizes = hn::Abs(hn::Load(d, block.difference + begin));
    if (hn::AllFalse(d, hn::Gt(sizes, hn::Set(d, worst.least()))))
      continue;
    for (size_t i = begin; i < std::min(begin + partLanes, block.count); ++i)
      worst.add({placeOf(block, i), block.reference[i], block.target[i], std::fabs(block.difference[i])});
  }
}

ChunkSums compared(const TensorPair &pair, ChunkRange range, const Rule &rule, const CellTables *tables,
                   const Centre &centre, Counts &counts) {
  LaneSums lanes;
  WorstList worst;
  // Kept from chunk to chunk: so much memory is neither cleared nor read for every chunk.
  if (tables && counts.cells.empty())
    counts.cells.resize(countedRows * countedColumns * Counts::cellTurns);
  if (!tables && counts.recent.empty())
    counts.recent.resize(numSheets * sheetSize * Counts::turns);
  counts.recentElements += range.end - range.begin;
  Block block;
  for (size_t begin = range.begin; begin < range.end; begin += blockElements) {
    fill(pair, begin, std::min(blockElements, range.end - begin), &counts, block);
    addBlock(block, centre, lanes);
    addWorst(block, worst);
    if (tables)
      countCells(block, *tables, counts.roomFor(block.count));
    else
      countPlane(block, rule, counts.recent.data());
    counts.different += block.different;
    if (block.different)
      countUlps(pair, block, counts.ulps);
    else
      counts.ulps[0] += block.count;
    countRails(block.reference, block.count, pair.referenceType, counts.referenceRails);
    countRails(block.target, block.count, pair.targetType, counts.targetRails);
    if (rule.eightBit)
      countBitsOff(block, rule, counts.bitsOff);
  }
  constexpr uint64_t most = uint64_t{1} << 31; // elements of which no counter overflows
  if (counts.recentElements >= most)
    counts.settle();
  ChunkSums sums = joined(lanes);
  sums.worst = worst.taken();
  return sums;
}

void widened(const TensorPair &pair, size_t begin, size_t count, WidePair &wide) {
  Block block;
  widen(pair, begin, count, block);
  std::copy_n(block.reference, count, wide.reference);
  std::copy_n(block.target, count, wide.target);
  std::copy_n(block.difference, count, wide.difference);
}

} // namespace tilerig::verify::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilerig::verify {

HWY_EXPORT(extremesOf);
HWY_EXPORT(compared);
HWY_EXPORT(widened);

Extremes findExtremes(const TensorPair &pair, ChunkRange range) {
  return HWY_DYNAMIC_DISPATCH(extremesOf)(pair, range);
}

ChunkSums compareChunk(const TensorPair &pair, ChunkRange range, const Rule &rule, const CellTables *tables,
                       const Centre &centre, Counts &counts) {
  return HWY_DYNAMIC_DISPATCH(compared)(pair, range, rule, tables, centre, counts);
}

void widenPair(const TensorPair &pair, size_t begin, size_t count, WidePair &wide) {
  static_assert(WidePair::most == HWY_STATIC_DISPATCH(blockElements));
  HWY_DYNAMIC_DISPATCH(widened)(pair, begin, count, wide);
}

} // namespace tilerig::verify
#endif // HWY_ONCE
