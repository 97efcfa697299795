#include "verify/Metrics/ComputeMetrics.h"

#include "verify/Metrics/Worst.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tilerig::verify {

namespace {

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

// Writes the metrics that follow from sums over the elements, which were scaled before summing (Centre).
void writeSums(const ChunkSums &sums, const Centre &centre, uint64_t finite, Comparison &result) {
  const auto count = static_cast<double>(std::max<uint64_t>(finite, 1));
  result.meanAbs = sums.absolute / count / centre.errorScale;
  result.meanError = sums.error / count / centre.errorScale;
  result.rms = std::sqrt(sums.errorSquares / count) / centre.errorScale;
  result.cosine = angle(sums.products, sums.referenceSquares, sums.targetSquares);
  result.pearson = angle(sums.centredProducts, sums.centredReference, sums.centredTarget);
  result.sqnrDecibel = decibel(sums.referenceSquares, sums.errorSquares) +
                       20 * (std::log10(centre.errorScale) - std::log10(centre.referenceScale));
}

// Sets those metrics that count elements.
void writeCounts(const Counts &counts, Comparison &result) {
  const SubsetCounts finite = counts.plane.subsets();
  result.discarded = finite.discarded;
  result.passed = finite.passed + counts.nonFiniteAgreeing;
  result.failed = finite.failed + counts.nonFiniteDiffering;
  result.different = counts.different + counts.nonFiniteDiffering;
  result.referenceNan = counts.reference.nan;
  result.referenceInfinite = counts.reference.infinite;
  result.targetNan = counts.target.nan;
  result.targetInfinite = counts.target.infinite;
  result.nonFiniteAgreeing = counts.nonFiniteAgreeing;
  result.nonFiniteDiffering = counts.nonFiniteDiffering;
  for (size_t column = 0; column < gridColumns; ++column)
    result.undefined += counts.plane.total(undefinedRow, column);
  for (size_t cell = 0; cell < sheetSize; ++cell)
    // Counts the elements that pass only because they are a few 8-bit steps off. According to the limits they
    // would be discarded (sheet 0 of the histogram) or fail (sheet 2).
    for (size_t sheet : {size_t(0), size_t(2)})
      result.excused += counts.plane.counts[(sheet + numSubsets) * sheetSize + cell];
}

void writeBuckets(const Counts &counts, Comparison &result) {
  result.buckets = bucketsOfAll(counts.plane);
  result.bucketsInLimit = bucketsInLimit(counts.plane);
  for (Buckets *buckets : {&result.buckets, &result.bucketsInLimit}) {
    buckets->front() += counts.nonFiniteAgreeing;
    buckets->back() += counts.nonFiniteDiffering;
  }
}

void writeHistograms(const Counts &counts, DType referenceType, DType targetType, Comparison &result) {
  const bool floating = referenceType <= DType::f64;
  if (floating && referenceType == targetType)
    result.ulps = counts.ulps;
  if (result.limits.eightBit != EightBit::none)
    result.bitsOff = counts.bitsOff;
  auto isInteger = [](DType type) { return type > DType::f64 && type < DType::boolean; };
  if (isInteger(referenceType))
    result.referenceRails = counts.referenceRails;
  if (isInteger(targetType))
    result.targetRails = counts.targetRails;
}

} // namespace

ChunkSums join(const std::vector<ChunkSums> &chunks) {
  ChunkSums all;
  WorstList worst;
  for (const ChunkSums &part : chunks) {
#define SUM(name, addend) all.name += part.name;
#include "verify/Metrics/Sums.def"
    for (const WorstElement &element : part.worst)
      worst.add(element);
  }
  all.worst = worst.taken();
  return all;
}

void writeMetrics(PassResults results, Comparison &comparison) {
  writeSums(results.sums, results.centre, results.finite, comparison);
  comparison.worst = std::move(results.sums.worst);
  comparison.maxAbs = comparison.worst.empty() ? 0 : comparison.worst.front().absolute;
  writeCounts(results.counts, comparison);
  writeBuckets(results.counts, comparison);
  writeHistograms(results.counts, results.referenceType, results.targetType, comparison);
  comparison.plane = std::move(results.counts.plane);
}

} // namespace tilerig::verify
