#include "compiler/Planning/Quantisation/TensorStatistics.h"

#include "compiler/Planning/Quantisation/Floats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tilerig::compiler {

// Values are processed in portions that fit into the first-level cache of the CPU, because each portion is
// read several times.
static constexpr size_t portionSize = 4096;

namespace {

// Minimum and maximum of some of the values, kept separately for each lane of a SIMD register. The minimum
// and maximum over all lanes do not depend on the number of lanes.
struct Extent {
  static constexpr size_t lanes = 16;
  std::array<float, lanes> low, high;
  std::array<uint32_t, lanes> zeros = {}, others = {};

  Extent() {
    low.fill(std::numeric_limits<float>::infinity());
    high.fill(-std::numeric_limits<float>::infinity());
  }
  void add(size_t lane, float x) {
    low[lane] = x < low[lane] ? x : low[lane];
    high[lane] = x > high[lane] ? x : high[lane];
    zeros[lane] += x == 0;
    others[lane] += !(std::fabs(x) <= std::numeric_limits<float>::max());
  }
};

} // namespace

static Extent extentOf(std::span<const float> values) {
  Extent extent;
  size_t i = 0;
  for (; i + Extent::lanes <= values.size(); i += Extent::lanes)
    for (size_t lane = 0; lane < Extent::lanes; ++lane)
      extent.add(lane, values[i + lane]);
  for (size_t lane = 0; i < values.size(); ++i, ++lane)
    extent.add(lane, values[i]);
  return extent;
}

template <class T>
static uint64_t sumOf(const T &numbers) {
  uint64_t sum = 0;
  for (uint32_t number : numbers)
    sum += number;
  return sum;
}

void TensorStatistics::addPortion(std::span<const float> values) {
  const Extent extent = extentOf(values);
  const uint64_t bad = sumOf(extent.others);
  // NaN and infinities are rare, so if there are any, the finite values are copied and processed again
  if (bad) {
    others += bad;
    std::array<float, portionSize> kept;
    const auto end = std::ranges::copy_if(values, kept.begin(), [](float x) { return std::isfinite(x); }).out;
    if (end != kept.begin())
      addPortion({kept.begin(), end});
    return;
  }
  // Adding +0 turns -0 into +0. Otherwise the sign of a minimum or maximum that is zero would depend on the
  // order of the values.
  const float least = *std::ranges::min_element(extent.low) + 0.0f;
  const float most = *std::ranges::max_element(extent.high) + 0.0f;
  low = finite ? std::min(low, least) : least;
  high = finite ? std::max(high, most) : most;
  finite += values.size();
  exactZeros += sumOf(extent.zeros);
  bins.add(values, std::max(std::fabs(least), std::fabs(most)));
}

void TensorStatistics::add(std::span<const float> values) {
  for (; !values.empty(); values = values.subspan(std::min(portionSize, values.size())))
    addPortion(values.first(std::min(portionSize, values.size())));
}

Status TensorStatistics::add(const Tensor &tensor) {
  TILERIG_TRY(const Tensor floats, asFloats(tensor));
  TensorStatistics sample;
  sample.add(floats.as<float>());
  if (sample.finite) {
    sample.sampleLows = {sample.low};
    sample.sampleHighs = {sample.high};
  }
  merge(sample);
  return success();
}

// Merges two sorted lists. Means are summed in sorted order, so that their rounding does not depend on the
// order of samples.
static void insertAll(std::vector<float> &sorted, const std::vector<float> &others) {
  const auto middle = static_cast<ptrdiff_t>(sorted.size());
  sorted.insert(sorted.end(), others.begin(), others.end());
  std::inplace_merge(sorted.begin(), sorted.begin() + middle, sorted.end());
}

static float meanOf(const std::vector<float> &values) {
  double sum = 0;
  for (const float value : values)
    sum += value;
  return static_cast<float>(sum / static_cast<double>(values.size()));
}

float TensorStatistics::meanMinimum() const { return sampleLows.empty() ? minimum() : meanOf(sampleLows); }
float TensorStatistics::meanMaximum() const { return sampleHighs.empty() ? maximum() : meanOf(sampleHighs); }

void TensorStatistics::merge(const TensorStatistics &other) {
  if (other.finite) {
    low = finite ? std::min(low, other.low) : other.low;
    high = finite ? std::max(high, other.high) : other.high;
  }
  finite += other.finite;
  exactZeros += other.exactZeros;
  others += other.others;
  bins.merge(other.bins);
  insertAll(sampleLows, other.sampleLows);
  insertAll(sampleHighs, other.sampleHighs);
}

} // namespace tilerig::compiler
