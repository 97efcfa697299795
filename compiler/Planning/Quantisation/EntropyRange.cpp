// Entropy calibration: clips at +-T for the T whose quantised distribution has the least Kullback-Leibler
// divergence from the original distribution. See S. Migacz, 8-bit Inference with TensorRT (GPU Technology
// Conference 2017), page 38.
//
// T runs over the edges of histogram bins. P is the histogram between -T and T, with the counts of clipped
// values added to the outermost bins. Q is the same histogram with a resolution of 256 levels, without the
// clipped values: its n bins are divided into 256 groups, group j starting at floor(j n / 256), and the count
// of each group is distributed evenly over its non-empty bins. Both are normalised. The divergence is sum P
// log(P / Q), infinite where Q is zero and P is not.
//
// There are three differences from the slides. The ends never exceed the observed range, so that a tensor
// without negative values has all levels for its positive values. Exact zeros are not counted, because they
// have no quantisation error. The groups have nearly equal sizes; in the slides the last group has the
// remaining bins.
#include "compiler/Planning/Quantisation/RangeSearch.h"

#include <cmath>
#include <limits>
#include <vector>

namespace tilerig::compiler {

static constexpr size_t levels = 256;
// Two divergences that differ by at most this count as equal, since their sums are rounded.
static constexpr double noise = 1e-9;

namespace {

// Prefix sums over the bins of a histogram: element n is the sum over the first n bins, so the sum over a
// range of bins is the difference of two elements. `filled` counts the non-empty bins.
struct Sums {
  std::vector<uint64_t> count = {0}, filled = {0};
  std::vector<double> entropy = {0}; // prefix sums of c log c, where c is the count of a bin

  void add(uint64_t c) {
    count.push_back(count.back() + c);
    filled.push_back(filled.back() + (c > 0));
    entropy.push_back(entropy.back() + (c ? static_cast<double>(c) * std::log(static_cast<double>(c)) : 0));
  }
};

// The bins [first, last) of a histogram: from the first non-empty bin to the last one, extended if necessary
// so that zero lies between them or at an end (first <= 0 <= last).
struct Bins {
  int first = 0, last = 0;
  std::vector<uint64_t> counts;
  Sums sums;

  explicit Bins(const TensorStatistics &statistics) {
    const Histogram &histogram = statistics.histogram();
    const auto countOf = [&](int bin) { return histogram.count(bin) - (bin == 0 ? statistics.zeros() : 0); };
    for (int bin = -Histogram::binsPerSide; bin < Histogram::binsPerSide; ++bin)
      if (countOf(bin)) {
        first = std::min(first, bin);
        last = std::max(last, bin + 1);
      }
    for (int bin = first; bin < last; ++bin) {
      counts.push_back(countOf(bin));
      sums.add(counts.back());
    }
  }
};

} // namespace

static double timesLog(uint64_t count) {
  return count ? static_cast<double>(count) * std::log(static_cast<double>(count)) : 0;
}

// The divergence, sum P log(P / Q), over the bins [begin, end). It is computed from prefix sums of c log c
// (c: count of a bin) instead of single terms: Q is constant over the non-empty bins of a group, and P is
// proportional to c except in the two outermost bins.
static double divergence(const Bins &bins, size_t begin, size_t end) {
  const Sums &sums = bins.sums;
  const uint64_t all = sums.count.back();
  const uint64_t inside = sums.count[end] - sums.count[begin];
  const uint64_t below = sums.count[begin], above = all - sums.count[end];
  const uint64_t firstCount = bins.counts[begin], lastCount = bins.counts[end - 1];
  if ((below && !firstCount) || (above && !lastCount))
    return std::numeric_limits<double>::infinity();
  double sum = sums.entropy[end] - sums.entropy[begin];
  sum += timesLog(firstCount + below) - timesLog(firstCount);
  sum += timesLog(lastCount + above) - timesLog(lastCount);
  const size_t size = end - begin;
  for (size_t level = 0; level < levels; ++level) {
    const size_t from = begin + level * size / levels, to = begin + (level + 1) * size / levels;
    const uint64_t held = sums.count[to] - sums.count[from];
    if (held == 0)
      continue;
    const uint64_t shown = held + (from == begin ? below : 0) + (to == end ? above : 0);
    const double share = static_cast<double>(held) / static_cast<double>(sums.filled[to] - sums.filled[from]);
    sum -= static_cast<double>(shown) * std::log(share);
  }
  return sum / static_cast<double>(all) + std::log(static_cast<double>(inside) / static_cast<double>(all));
}

ValueRange entropyRange(const TensorStatistics &statistics) {
  const Bins bins(statistics);
  const ValueRange all = minMaxRange(statistics);
  int best = std::max(-bins.first, bins.last);
  double least = std::numeric_limits<double>::infinity();
  // Tries ever narrower ranges, beginning with the widest, as long as a range has at least as many histogram
  // bins as there are quantisation levels.
  for (int threshold = best; threshold > 0; --threshold) {
    const int first = std::max(bins.first, -threshold), last = std::min(bins.last, threshold);
    if (last - first < static_cast<int>(levels))
      break;
    const double candidateDivergence =
        divergence(bins, static_cast<size_t>(first - bins.first), static_cast<size_t>(last - bins.first));
    if (candidateDivergence < least - noise) {
      least = candidateDivergence;
      best = threshold;
    }
  }
  const auto clip = static_cast<float>(best * statistics.histogram().width());
  return {std::max(all.low, -clip), std::min(all.high, clip)};
}

} // namespace tilerig::compiler
