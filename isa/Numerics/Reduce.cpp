#include "isa/Numerics/Reduce.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/Numerics/Reduce.cpp"
#include "isa/Numerics/Targets.h"

#include <hwy/foreach_target.h>

#include "isa/Numerics/Formulas/Extremes-inl.h"

#include <cassert>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace tilerig::HWY_NAMESPACE {

struct Greater {
  static constexpr float neutral = -HUGE_VALF;
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return greaterOf(a, b);
  }
};
struct Lesser {
  static constexpr float neutral = HUGE_VALF;
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return lesserOf(a, b);
  }
};

// Maximum and minimum do not depend on the order of elements; they are the only reductions that use vector
// lanes.
template <class Better>
HWY_INLINE float extreme(const float *row, size_t count, Better better) {
  float best = Better::neutral;
  size_t i = 0;
#if TILERIG_VECTORS
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  auto bests = hn::Set(d, Better::neutral);
  for (; i + lanes <= count; i += lanes)
    bests = better(bests, hn::LoadU(d, row + i));
  HWY_ALIGN float each[hn::MaxLanes(d)];
  hn::Store(bests, d, each);
  for (size_t lane = 0; lane < lanes; ++lane)
    best = better(best, each[lane]);
#endif
  for (; i < count; ++i)
    best = better(best, row[i]);
  return best;
}

float greatest(const float *row, size_t count) { return extreme(row, count, Greater()); }
float least(const float *row, size_t count) { return extreme(row, count, Lesser()); }

} // namespace tilerig::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilerig {

HWY_EXPORT(greatest);
HWY_EXPORT(least);

float maximum(float a, float b) { return HWY_NAMESPACE::greaterOf(a, b); }
float minimum(float a, float b) { return HWY_NAMESPACE::lesserOf(a, b); }
float maximum(std::span<const float> row) { return HWY_DYNAMIC_DISPATCH(greatest)(row.data(), row.size()); }
float minimum(std::span<const float> row) { return HWY_DYNAMIC_DISPATCH(least)(row.data(), row.size()); }

// Combines the elements in order by `step`, starting from the first element, so that the sum of a single -0
// is -0. The result of an empty row is `ofNone`.
template <class Step>
static float fold(std::span<const float> row, float ofNone, const Step &step) {
  if (row.empty())
    return ofNone;
  float acc = row[0];
  for (const float x : row.subspan(1))
    acc = step(acc, x);
  return acc;
}

float sum(std::span<const float> row) {
  return fold(row, 0, [](float acc, float x) { return acc + x; });
}

float product(std::span<const float> row) {
  return fold(row, 1, [](float acc, float x) { return acc * x; });
}

float sumAbs(std::span<const float> row) {
  float acc = 0;
  for (const float x : row)
    acc += std::fabs(x);
  return acc;
}

float sumSquares(std::span<const float> row) {
  float acc = 0;
  for (const float x : row)
    acc = std::fma(x, x, acc);
  return acc;
}

float mean(std::span<const float> row) { return sum(row) / static_cast<float>(row.size()); }

template <class Beyond>
static size_t argExtreme(std::span<const float> row, Extreme which, const Beyond &beyond) {
  assert(!row.empty());
  const auto better = [&](float x, float best) {
    const bool xIsNan = x != x, bestIsNan = best != best;
    const bool equal = xIsNan ? bestIsNan : x == best;
    return equal ? which == Extreme::last : xIsNan || (!bestIsNan && beyond(x, best));
  };
  size_t best = 0;
  for (size_t i = 1; i < row.size(); ++i)
    if (better(row[i], row[best]))
      best = i;
  return best;
}

size_t argMax(std::span<const float> row, Extreme which) {
  return argExtreme(row, which, [](float x, float best) { return x > best; });
}

size_t argMin(std::span<const float> row, Extreme which) {
  return argExtreme(row, which, [](float x, float best) { return x < best; });
}

} // namespace tilerig
#endif // HWY_ONCE
