// Counts of a block: where its elements lie in the plane, how many units of the last place and how many 8-bit
// steps they are off, how many stand at the rails.
#if defined(TILERIG_VERIFY_METRICS_COUNTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_VERIFY_METRICS_COUNTS_INL_H_
#undef TILERIG_VERIFY_METRICS_COUNTS_INL_H_
#else
#define TILERIG_VERIFY_METRICS_COUNTS_INL_H_
#endif

#include "verify/Metrics/Block-inl.h"

#include <bit>

HWY_BEFORE_NAMESPACE();
namespace tilerig::verify::HWY_NAMESPACE {

// Into the counters of a chunk, narrow so that they stay in the cache.
inline void countPlane(const Block &block, const Rule &rule, uint32_t *sheets) {
  int32_t cells[blockElements];
  for (size_t i = 0; i < block.count; ++i) {
    const double r = block.reference[i], t = block.target[i];
    const double relative = relativeError(r, t, block.difference[i]);
    const double oom = orderOfMagnitude(r, t, rule);
    const auto subset = static_cast<int32_t>(subsetByLimits(relative, oom, rule));
    const int32_t column = columnOf(oom, (r == 0) & (t == 0));
    cells[i] =
        (subset * static_cast<int32_t>(gridRows) + rowOf(relative)) * static_cast<int32_t>(gridColumns) +
        column;
  }
  for (size_t i = 0; i < block.count && rule.eightBit; ++i)
    cells[i] +=
        bitOff(block.difference[i], rule) <= rule.bitOff ? static_cast<int32_t>(numSubsets * sheetSize) : 0;
  for (size_t i = 0; i < block.count; ++i)
    ++sheets[cells[i]];
}

inline uint64_t countDifferent(const Block &block) {
  uint64_t count = 0;
  for (size_t i = 0; i < block.count; ++i)
    count += block.difference[i] != 0 ? 1 : 0;
  return count;
}

inline void countBitsOff(const Block &block, const Rule &rule, BitOffHistogram &histogram) {
  constexpr double last = bitOffBins - 1;
  for (size_t i = 0; i < block.count; ++i) {
    const double off = bitOff(block.difference[i], rule);
    ++histogram[static_cast<size_t>(off < last ? off : last)];
  }
}

// The place of a float among all of its type, in order; both zeros have the same.
template <class Bits>
HWY_INLINE Bits rankOf(Bits bits) {
  constexpr Bits sign = Bits{1} << (sizeof(Bits) * 8 - 1);
  return bits & sign ? sign - (bits & ~sign) : sign + bits;
}

// Of the elements as they are stored; those that are not finite were counted by their own.
template <class Bits>
void countUlps(const Block &block, const std::byte *reference, const std::byte *target,
               UlpHistogram &histogram) {
  const auto *r = reinterpret_cast<const Bits *>(reference);
  const auto *t = reinterpret_cast<const Bits *>(target);
  for (size_t i = 0; i < block.count; ++i) {
    const size_t place = placeOf(block, i);
    const Bits left = rankOf(r[place]), right = rankOf(t[place]);
    const uint64_t distance =
        left < right ? static_cast<Bits>(right - left) : static_cast<Bits>(left - right);
    ++histogram[distance ? static_cast<size_t>(std::bit_width(distance - 1)) + 1 : 0];
  }
}

inline void countUlps(const TensorPair &pair, const Block &block, UlpHistogram &histogram) {
  if (pair.referenceType != pair.targetType)
    return;
  switch (pair.referenceType) {
  case DType::f16:
  case DType::bf16:
    return countUlps<uint16_t>(block, pair.reference, pair.target, histogram);
  case DType::f32:
    return countUlps<uint32_t>(block, pair.reference, pair.target, histogram);
  case DType::f64:
    return countUlps<uint64_t>(block, pair.reference, pair.target, histogram);
  default:
    return;
  }
}

inline void countRails(const double *elements, size_t count, DType type, Rails &rails) {
  dispatch(type, [&]<class T>() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      constexpr auto low = static_cast<double>(std::numeric_limits<T>::min());
      constexpr auto high = static_cast<double>(std::numeric_limits<T>::max());
      for (size_t i = 0; i < count; ++i) {
        rails.low += elements[i] == low ? 1 : 0;
        rails.high += elements[i] == high ? 1 : 0;
      }
    }
  });
}

} // namespace tilerig::verify::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // guard
