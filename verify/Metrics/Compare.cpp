#include "verify/Metrics/Compare.h"

#include "verify/Metrics/Chunks.h"
#include "verify/Metrics/Worst.h"

#include <cassert>
#include <cmath>
#include <fmt/core.h>
#include <utility>

namespace tilerig::verify {

std::string_view nameOf(TensorStatus status) {
  constexpr std::string_view names[] = {"match",          "mismatch", "inherited",  "shape_mismatch",
                                        "dtype_mismatch", "missing",  "non_finite", "empty"};
  return names[static_cast<size_t>(status)];
}

namespace {

// The subset (discarded, passed or failed) to which all elements of a cell belong, if the limits are edges of
// the grid.
Subset subsetOfCell(int32_t row, int32_t column, const CellRule &rule) {
  if (column > rule.oomEdge)
    return Subset::discarded;
  const bool within = row != undefinedRow && (row == equalRow || binOfRow(row) <= rule.relativeEdge);
  return within ? Subset::passed : Subset::failed;
}

void settleCells(std::vector<uint16_t> &cells, const CellRule &rule, Plane &plane) {
  for (size_t cell = 0; cell < cells.size() / Counts::cellTurns; ++cell) {
    uint64_t count = 0;
    for (size_t turn = 0; turn < Counts::cellTurns; ++turn)
      count += cells[cell * Counts::cellTurns + turn];
    if (count == 0) // true for nearly all cells
      continue;
    const auto countedRow = static_cast<uint32_t>(cell / countedColumns);
    const auto countedColumn = static_cast<uint32_t>(cell % countedColumns);
    const int32_t row = rowOfCounted(countedRow);
    const int32_t column = countedRow == countedBothZero ? bothZeroColumn : columnOfCounted(countedColumn);
    const auto sheet = static_cast<size_t>(subsetOfCell(row, column, rule));
    plane.counts[sheet * sheetSize + static_cast<size_t>(row) * gridColumns + static_cast<size_t>(column)] +=
        count;
  }
  std::ranges::fill(cells, uint16_t{0});
}

} // namespace

void Counts::settle() {
  settleCells(cells, cellRule, plane);
  mostInCell = 0;
  for (size_t cell = 0; cell < recent.size() / turns; ++cell)
    for (size_t turn = 0; turn < turns; ++turn)
      plane.counts[cell] += std::exchange(recent[cell * turns + turn], 0);
  recentElements = 0;
}

uint16_t *Counts::roomFor(size_t elements) {
  const size_t inOneTurn = elements / cellTurns + elements % cellTurns;
  if (mostInCell + inOneTurn > std::numeric_limits<uint16_t>::max())
    settleCells(cells, cellRule, plane), mostInCell = 0;
  mostInCell += inOneTurn;
  return cells.data();
}

void Counts::add(const Counts &other) {
  auto addAll = [](auto &to, const auto &from) { std::ranges::transform(to, from, to.begin(), std::plus()); };
  different += other.different;
  nonFiniteAgreeing += other.nonFiniteAgreeing;
  nonFiniteDiffering += other.nonFiniteDiffering;
  reference.nan += other.reference.nan, reference.infinite += other.reference.infinite;
  target.nan += other.target.nan, target.infinite += other.target.infinite;
  addAll(plane.counts, other.plane.counts);
  addAll(ulps, other.ulps);
  addAll(bitsOff, other.bitsOff);
  referenceRails.low += other.referenceRails.low, referenceRails.high += other.referenceRails.high;
  targetRails.low += other.targetRails.low, targetRails.high += other.targetRails.high;
}

DType partType(DType type) {
  return type == DType::c64 ? DType::f32 : type == DType::c128 ? DType::f64 : type;
}

namespace {

// Streams of the compared tensors.
struct StreamPair {
  const TensorStream &reference, &target;
  DType referenceType() const { return partType(reference.dtype()); }
  DType targetType() const { return partType(target.dtype()); }
};

Result<Extremes> extremesOf(const StreamPair &pair, size_t elements, unsigned workers) {
  std::vector<Extremes> chunks(chunksOf(elements));
  TILERIG_CHECK_OK(forEachChunk(pair.reference, pair.target, workers, [&](const PairChunk &chunk, unsigned) {
    chunks[chunk.begin / chunkElements] = findExtremes(chunk.pair, chunk.count);
  }));
  Extremes all;
  for (const Extremes &part : chunks) {
    all.takeReference(part.largestReference, part.secondReference);
    all.largestTarget = std::max(all.largestTarget, part.largestTarget);
    all.largestError = std::max(all.largestError, part.largestError);
    all.sumReference += part.sumReference;
    all.sumTarget += part.sumTarget;
    all.sumReferenceSquares += part.sumReferenceSquares;
    all.finite += part.finite;
  }
  return all;
}

double anchorOf(const Extremes &extremes, Anchor anchor) {
  switch (anchor) {
  case Anchor::secondLargest:
    return extremes.secondReference;
  case Anchor::rms:
    return extremes.finite ? std::sqrt(extremes.sumReferenceSquares / static_cast<double>(extremes.finite))
                           : 0;
  case Anchor::largest:
    break;
  }
  return extremes.largestReference;
}

// The power of two by which elements are multiplied, so that the largest one is about 1.
double scaleFor(double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, -std::clamp(exponent, -1000, 1000));
}

Centre centreOf(const Extremes &extremes) {
  const auto count = static_cast<double>(std::max<uint64_t>(extremes.finite, 1));
  Centre centre;
  centre.referenceScale = scaleFor(extremes.largestReference);
  centre.targetScale = scaleFor(extremes.largestTarget);
  centre.errorScale = scaleFor(extremes.largestError);
  centre.reference = extremes.sumReference * centre.referenceScale / count;
  centre.target = extremes.sumTarget * centre.targetScale / count;
  return centre;
}

ChunkSums join(const std::vector<ChunkSums> &chunks) {
  ChunkSums all;
  WorstList worst;
  for (const ChunkSums &part : chunks) {
    for (double ChunkSums::*sum :
         {&ChunkSums::absolute, &ChunkSums::error, &ChunkSums::errorSquares, &ChunkSums::referenceSquares,
          &ChunkSums::targetSquares, &ChunkSums::products, &ChunkSums::centredReference,
          &ChunkSums::centredTarget, &ChunkSums::centredProducts})
      all.*sum += part.*sum;
    for (const WorstElement &element : part.worst)
      worst.add(element);
  }
  all.worst = worst.taken();
  return all;
}

// Cosine of the angle between two vectors, from sums of products and squares; NaN if a vector is zero, since
// the angle is undefined then.
double angle(double products, double squares, double otherSquares) {
  const double norms = std::sqrt(squares) * std::sqrt(otherSquares);
  return norms > 0 ? std::clamp(products / norms, -1.0, 1.0) : std::numeric_limits<double>::quiet_NaN();
}

double decibel(double signal, double noise) {
  if (signal == 0 && noise == 0)
    return std::numeric_limits<double>::quiet_NaN();
  return 10 * (std::log10(signal) - std::log10(noise));
}

void writeSums(ChunkSums sums, const Centre &centre, uint64_t finite, Comparison &result) {
  const auto count = static_cast<double>(std::max<uint64_t>(finite, 1));
  result.meanAbs = sums.absolute / count / centre.errorScale;
  result.meanError = sums.error / count / centre.errorScale;
  result.rms = std::sqrt(sums.errorSquares / count) / centre.errorScale;
  result.cosine = angle(sums.products, sums.referenceSquares, sums.targetSquares);
  result.pearson = angle(sums.centredProducts, sums.centredReference, sums.centredTarget);
  result.sqnrDecibel = decibel(sums.referenceSquares, sums.errorSquares) +
                       20 * (std::log10(centre.errorScale) - std::log10(centre.referenceScale));
  result.worst = std::move(sums.worst);
  result.maxAbs = result.worst.empty() ? 0 : result.worst.front().absolute;
}

void writeBuckets(const Counts &counts, Comparison &result) {
  result.buckets = bucketsOfAll(counts.plane);
  result.bucketsInLimit = bucketsInLimit(counts.plane);
  for (Buckets *buckets : {&result.buckets, &result.bucketsInLimit}) {
    buckets->front() += counts.nonFiniteAgreeing;
    buckets->back() += counts.nonFiniteDiffering;
  }
}

void writeCounts(Counts counts, const StreamPair &pair, Comparison &result) {
  result.subsets = counts.plane.subsets();
  result.subsets.passed += counts.nonFiniteAgreeing;
  result.subsets.failed += counts.nonFiniteDiffering;
  result.different = counts.different + counts.nonFiniteDiffering;
  result.referenceNonFinite = counts.reference;
  result.targetNonFinite = counts.target;
  result.nonFiniteAgreeing = counts.nonFiniteAgreeing;
  result.nonFiniteDiffering = counts.nonFiniteDiffering;
  for (size_t column = 0; column < gridColumns; ++column)
    result.undefined += counts.plane.total(undefinedRow, column);
  for (size_t cell = 0; cell < sheetSize; ++cell)
    // The sheets of elements that the limits discard (0) or fail (2): only there does an excuse change the
    // outcome, because the others pass anyway.
    for (size_t sheet : {size_t(0), size_t(2)})
      result.excused += counts.plane.counts[(sheet + numSubsets) * sheetSize + cell];
  writeBuckets(counts, result);
  const bool floating = pair.referenceType() <= DType::f64;
  if (floating && pair.referenceType() == pair.targetType())
    result.ulps = counts.ulps;
  if (result.limits.eightBit != EightBit::none)
    result.bitsOff = counts.bitsOff;
  auto isInteger = [](DType type) { return type > DType::f64 && type < DType::boolean; };
  if (isInteger(pair.referenceType()))
    result.referenceRails = counts.referenceRails;
  if (isInteger(pair.targetType()))
    result.targetRails = counts.targetRails;
  result.plane = std::move(counts.plane);
}

Counts sum(std::vector<Counts> parts) {
  for (size_t i = 1; i < parts.size(); ++i)
    parts[0].add(parts[i]);
  return std::move(parts[0]);
}

Status compareElements(const StreamPair &pair, unsigned threads, Comparison &result) {
  std::vector<ChunkSums> sums(chunksOf(result.elements));
  const unsigned workers = workersFor(sums.size(), threads);
  TILERIG_TRY(const Extremes extremes, extremesOf(pair, result.elements, workers));
  result.largestReference = extremes.largestReference;
  result.largestTarget = extremes.largestTarget;
  result.anchor = anchorOf(extremes, result.limits.anchor);
  SecondPass pass;
  pass.rule = ruleFor(result.limits, result.anchor, result.largestTarget);
  pass.tables = cellTablesFor(pass.rule);
  pass.centre = centreOf(extremes);
  pass.allFinite = extremes.finite == result.elements;
  std::vector<Counts> counts(workers);
  for (Counts &part : counts)
    part.cellRule = pass.tables ? pass.tables->rule : CellRule();
  TILERIG_CHECK_OK(
      forEachChunk(pair.reference, pair.target, workers, [&](const PairChunk &chunk, unsigned worker) {
        ChunkSums &mine = sums[chunk.begin / chunkElements];
        mine = compareChunk(chunk.pair, chunk.count, pass, counts[worker]);
        for (WorstElement &worst : mine.worst)
          worst.index += chunk.begin;
      }));
  for (Counts &part : counts)
    part.settle();
  writeSums(join(sums), pass.centre, extremes.finite, result);
  writeCounts(sum(std::move(counts)), pair, result);
  return success();
}

void give(Comparison &result, TensorStatus status, std::string reason) {
  result.status = status;
  result.reason = std::move(reason);
}

void judge(Comparison &result, bool exact) {
  if (result.nonFiniteDiffering)
    give(result, TensorStatus::nonFinite,
         fmt::format("{} of {} elements are NaN or infinite on one side and have another value on the other",
                     result.nonFiniteDiffering, result.elements));
  else if (exact && result.different)
    give(result, TensorStatus::mismatch,
         fmt::format("{} of {} elements are not equal", result.different, result.elements));
  else if (result.subsets.failed)
    give(result, TensorStatus::mismatch,
         fmt::format("{} of {} elements fail", result.subsets.failed, result.elements));
}

// The 8-bit type that a tensor represents: its own type if that is int8 or uint8, else the type that the
// limits state.
EightBit eightBitOf(DType type, EightBit stated) {
  return type == DType::i8 ? EightBit::int8 : type == DType::u8 ? EightBit::uint8 : stated;
}

} // namespace

Result<Comparison> compareStreams(const TensorStream &reference, const TensorStream &target,
                                  const CompareOptions &options) {
  Comparison result;
  result.limits = options.limits;
  result.limits.eightBit = eightBitOf(target.dtype(), options.limits.eightBit);
  const StreamPair pair{reference, target};
  result.elements = target.sizeBytes() / sizeBytes(pair.targetType());
  const bool sameKind = (pair.referenceType() == reference.dtype()) == (pair.targetType() == target.dtype());
  if (reference.shape() != target.shape())
    give(result, TensorStatus::shapeMismatch,
         fmt::format("the reference has shape {}, the target {}", showShape(reference.shape()),
                     showShape(target.shape())));
  else if (reference.dtype() != target.dtype() && !(options.acrossTypes && sameKind))
    give(result, TensorStatus::dtypeMismatch,
         fmt::format("the reference has type {}, the target {}", nameOf(reference.dtype()),
                     nameOf(target.dtype())));
  else if (result.elements == 0)
    give(result, TensorStatus::empty, "the tensor has no elements, so the comparison shows nothing");
  else {
    TILERIG_CHECK_OK(compareElements(pair, options.threads, result));
    judge(result, options.exact);
  }
  return result;
}

Comparison compareTensors(const Tensor &reference, const Tensor &target, const CompareOptions &options) {
  auto result = compareStreams(reference, target, options);
  assert(result && "tensors in memory can be read");
  return *std::move(result);
}

} // namespace tilerig::verify
