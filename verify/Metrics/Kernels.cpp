#include "verify/Metrics/Kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "verify/Metrics/Kernels.cpp"
#include "isa/Numerics/Targets.h"

#include <hwy/foreach_target.h>

#include "verify/Metrics/Counts-inl.h"
#include "verify/Metrics/Floats-inl.h"
#include "verify/Metrics/Sums-inl.h"
#include "verify/Metrics/Worst.h"

HWY_BEFORE_NAMESPACE();
namespace tilerig::verify::HWY_NAMESPACE {

// Updates the extremes (such as the largest magnitudes) with one block of floats, which it reads in place.
// Returns the number of elements of the block. Returns 0 and changes nothing if the block has another type,
// an incomplete vector, or an element that is NaN or infinite.
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
  addExtremes(fromBlock(block), lanes);
  return block.count;
}

Extremes extremesOf(const TensorPair &pair, size_t count) {
  Extremes extremes;
  LaneExtremes lanes;
  for (size_t begin = 0; begin < count; begin += blockElements)
    extremes.finite += addBlockExtremes(pair, begin, std::min(blockElements, count - begin), lanes);
  for (size_t lane = 0; lane < numLanes; ++lane)
    extremes.takeReference(lanes.reference[lane], lanes.second[lane]);
  extremes.largestTarget = largestOf(lanes.target);
  extremes.largestError = largestOf(lanes.error);
  extremes.sumReference = sumOf(lanes.sumReference);
  extremes.sumTarget = sumOf(lanes.sumTarget);
  extremes.sumReferenceSquares = sumOf(lanes.squares);
  return extremes;
}

// Adds those elements of a block whose errors are large enough to the list of the worst elements.
inline void addWorst(Block &block, WorstList &worst) {
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

// Compares the blocks of one chunk of the tensors, and adds their counts to those of the thread.
class ChunkComparer {
public:
  ChunkComparer(const TensorPair &pair, const SecondPass &pass, Counts &counts)
      : pair(pair), pass(pass), counts(counts) {
    // The counters of a thread are not cleared between chunks, because clearing and reading so much memory
    // would be slow.
    if (pass.tables && counts.cells.empty())
      counts.cells.resize(countedRows * countedColumns * Counts::cellCopies);
    if (!pass.tables && counts.recent.empty())
      counts.recent.resize(numSheets * sheetSize * Counts::copies);
  }

  void add(size_t begin, size_t count) {
    if (pass.tables && pass.allFinite && areFloats(pair) && count % numLanes == 0)
      addFloatBlock(begin, count);
    else
      addAnyBlock(begin, count);
  }

  ChunkSums taken() {
    ChunkSums sums;
#define SUM(name, addend) sums.name = sumOf(lanes.name);
#include "verify/Metrics/Sums.def"
    sums.worst = worst.taken();
    return sums;
  }

private:
  void addFloatBlock(size_t begin, size_t count) {
    const FromFloats source{floatsOf(pair.reference) + begin, floatsOf(pair.target) + begin, count};
    addFloats(source, pass.centre, pass.tables->sizes, lanes, floats);
    countLookups(floats.lookups, count, pass.tables->sizes, counts.cellsFor(count));
    if (worst.takes(floats.largestError)) {
      fill(pair, begin, count, nullptr, block);
      addWorst(block, worst);
    }
    block.begin = begin, block.count = count, block.whole = true;
    addDistances(floats.different);
  }

  void addAnyBlock(size_t begin, size_t count) {
    fill(pair, begin, count, &counts, block);
    addBlock(block, pass.centre, lanes);
    if (worst.takes(block.largestError))
      addWorst(block, worst);
    if (pass.tables)
      countCells(block, pass.tables->sizes, counts.cellsFor(block.count));
    else
      countPlane(block, pass.rule, counts.recent.data());
    addDistances(block.different);
    countRails(block.reference, block.count, pair.referenceType, counts.referenceRails);
    countRails(block.target, block.count, pair.targetType, counts.targetRails);
    if (pass.rule.eightBit)
      countBitsOff(block, pass.rule, counts.bitsOff);
  }

  void addDistances(size_t different) {
    counts.different += different;
    if (different)
      countUlps(pair, block, counts.ulps);
    else
      counts.ulps[0] += block.count;
  }

  const TensorPair &pair;
  const SecondPass &pass;
  Counts &counts;
  LaneSums lanes;
  WorstList worst;
  Block block;
  FloatBlock floats;
};

ChunkSums compared(const TensorPair &pair, size_t count, const SecondPass &pass, Counts &counts) {
  counts.recentElements += count;
  ChunkComparer comparer(pair, pass, counts);
  for (size_t begin = 0; begin < count; begin += blockElements)
    comparer.add(begin, std::min(blockElements, count - begin));
  // The 32-bit counters are emptied (added to the histogram, Plane.h) so often that none of them overflows.
  constexpr uint64_t most = uint64_t{1} << 31;
  if (counts.recentElements >= most)
    counts.settle();
  return comparer.taken();
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

Extremes findExtremes(const TensorPair &pair, size_t count) {
  return HWY_DYNAMIC_DISPATCH(extremesOf)(pair, count);
}

ChunkSums compareChunk(const TensorPair &pair, size_t count, const SecondPass &pass, Counts &counts) {
  return HWY_DYNAMIC_DISPATCH(compared)(pair, count, pass, counts);
}

void widenPair(const TensorPair &pair, size_t begin, size_t count, WidePair &wide) {
  static_assert(WidePair::most == HWY_STATIC_DISPATCH(blockElements));
  HWY_DYNAMIC_DISPATCH(widened)(pair, begin, count, wide);
}

} // namespace tilerig::verify
#endif // HWY_ONCE
