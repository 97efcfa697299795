#include "verify/Metrics/Compare.h"

#include "verify/Metrics/Chunks.h"
#include "verify/Metrics/ComputeMetrics.h"

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

DType partType(DType type) {
  return type == DType::c64 ? DType::f32 : type == DType::c128 ? DType::f64 : type;
}

namespace {

// The streams of the reference tensor and the target tensor, which are compared.
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

// The power of two by which elements are multiplied before summing, so that the largest one is about 1.
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

// Adds up the counts of elements of all threads.
Counts sum(std::vector<Counts> parts) {
  for (Counts &part : parts)
    part.settle();
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
  writeMetrics({pair.referenceType(), pair.targetType(), pass.centre, extremes.finite, join(sums),
                sum(std::move(counts))},
               result);
  return success();
}

void give(Comparison &result, TensorStatus status, std::string reason) {
  result.status = status;
  result.reason = std::move(reason);
}

void judge(Comparison &result, bool exact) {
  if (result.nonFiniteDiffering)
    give(
        result, TensorStatus::nonFinite,
        fmt::format(
            "{} of {} elements are NaN or infinite in the reference or the target, and differ between the two",
            result.nonFiniteDiffering, result.elements));
  else if (exact && result.different)
    give(result, TensorStatus::mismatch,
         fmt::format("{} of {} elements are not equal", result.different, result.elements));
  else if (result.failed)
    give(result, TensorStatus::mismatch,
         fmt::format("{} of {} elements fail", result.failed, result.elements));
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
  assert(result && "reading tensors in memory cannot fail");
  return *std::move(result);
}

} // namespace tilerig::verify
