// A block of up to 512 elements of reference and target, converted to doubles. The loops of both passes over
// the data (Kernels.h) work on such blocks.
#if defined(TILERIG_VERIFY_METRICS_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_VERIFY_METRICS_BLOCK_INL_H_
#undef TILERIG_VERIFY_METRICS_BLOCK_INL_H_
#else
#define TILERIG_VERIFY_METRICS_BLOCK_INL_H_
#endif

#include "isa/Numerics/Convert.h"
#include "verify/Metrics/Kernels.h"

#include <cmath>
#include <cstring>
#include <hwy/highway.h>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace tilerig::verify::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr size_t blockElements = 512;

inline constexpr size_t numLanes = 8;
// Number of elements that are processed at a time: eight (numLanes), or fewer if a vector register of the
// processor holds fewer.
using Part = hn::CappedTag<double, numLanes>;
using Vector = hn::Vec<Part>;
inline constexpr size_t partLanes = hn::MaxLanes(Part());

struct Block {
  size_t begin = 0; // index in the tensor of the block's first element
  size_t count = 0;
  alignas(64) double reference[blockElements], target[blockElements], difference[blockElements];
  double largestError = 0; // largest |difference|
  size_t different = 0;    // number of elements of the block whose difference is not zero
  bool whole = true;       // false if elements that are NaN or infinite were removed from the block
  // If elements were removed from the block: for each remaining element, its index before the removal.
  uint16_t position[blockElements];
};

// Appends zeros to a block so that it fills whole vectors. Returns the number of elements including the
// zeros.
inline size_t padWithZeros(Block &block) {
  const size_t padded = hwy::RoundUpTo(block.count, numLanes);
  for (size_t i = block.count; i < padded; ++i)
    block.reference[i] = block.target[i] = block.difference[i] = 0;
  return padded;
}

inline size_t placeOf(const Block &block, size_t i) {
  return block.begin + (block.whole ? i : block.position[i]);
}

template <class T>
void widenRow(const T *in, double *out, size_t count) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    using Stored = std::conditional_t<std::is_same_v<T, Float16>, Fp16, Bf16>;
    float floats[blockElements];
    toFloat(std::span(reinterpret_cast<const Stored *>(in), count), std::span(floats, count));
    for (size_t i = 0; i < count; ++i)
      out[i] = static_cast<double>(floats[i]);
  } else {
    for (size_t i = 0; i < count; ++i)
      out[i] = static_cast<double>(in[i]);
  }
}

inline void widenRow(DType type, const std::byte *data, size_t begin, double *out, size_t count) {
  dispatch(type, [&]<class T>() {
    if constexpr (requires(T element) { element.real(); })
      return; // The caller passes a complex tensor as a tensor of real and imaginary parts (Compare.cpp).
    else
      widenRow(reinterpret_cast<const T *>(data) + begin, out, count);
  });
}

// Computes differences of 64-bit integers before their conversion to doubles: integers that differ may
// convert to the same double.
template <class T>
void wideDifferences(const T *reference, const T *target, double *out, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const auto r = static_cast<uint64_t>(reference[i]), t = static_cast<uint64_t>(target[i]);
    out[i] = target[i] >= reference[i] ? static_cast<double>(t - r) : -static_cast<double>(r - t);
  }
}

inline void fillDifferences(const TensorPair &pair, Block &block) {
  auto wide = [&]<class T>(T) {
    wideDifferences(reinterpret_cast<const T *>(pair.reference) + block.begin,
                    reinterpret_cast<const T *>(pair.target) + block.begin, block.difference, block.count);
  };
  if (pair.referenceType == pair.targetType && pair.targetType == DType::i64)
    return wide(int64_t());
  if (pair.referenceType == pair.targetType && pair.targetType == DType::u64)
    return wide(uint64_t());
  for (size_t i = 0; i < block.count; ++i)
    block.difference[i] = block.target[i] - block.reference[i];
}

inline bool areFloats(const TensorPair &pair) {
  return pair.referenceType == DType::f32 && pair.targetType == DType::f32;
}
inline const float *floatsOf(const std::byte *data) { return reinterpret_cast<const float *>(data); }

// Fills a block from two float tensors, in one loop. Returns false if an element is NaN or infinite. It
// suffices to test the differences, because they are finite exactly if all elements are.
inline bool fillFloats(const float *reference, const float *target, Block &block) {
  const Part d;
  const hn::Rebind<float, Part> dFloat;
  const Vector one = hn::Set(d, 1.0);
  Vector poison = hn::Zero(d), largest = hn::Zero(d), different = hn::Zero(d);
  for (size_t i = 0; i < block.count; i += partLanes) {
    const Vector r = hn::PromoteTo(d, hn::LoadU(dFloat, reference + i));
    const Vector t = hn::PromoteTo(d, hn::LoadU(dFloat, target + i));
    const Vector difference = hn::Sub(t, r);
    hn::Store(r, d, block.reference + i);
    hn::Store(t, d, block.target + i);
    hn::Store(difference, d, block.difference + i);
    poison = hn::Add(poison, hn::Sub(difference, difference));
    largest = hn::Max(largest, hn::Abs(difference));
    different = hn::Add(different, hn::IfThenElseZero(hn::Ne(difference, hn::Zero(d)), one));
  }
  block.largestError = hn::GetLane(hn::MaxOfLanes(d, largest));
  block.different = static_cast<size_t>(hn::GetLane(hn::SumOfLanes(d, different)));
  return hn::GetLane(hn::SumOfLanes(d, poison)) == 0;
}

inline bool allFinite(const Block &block) {
  // The largest bit pattern of a float element, without the sign. In NaN and infinity all exponent bits are
  // set, so their patterns are larger than that of any finite number.
  uint64_t highest = 0;
  for (size_t i = 0; i < block.count; ++i) {
    uint64_t r, t;
    std::memcpy(&r, &block.reference[i], sizeof r);
    std::memcpy(&t, &block.target[i], sizeof t);
    r <<= 1, t <<= 1;
    highest = std::max(highest, std::max(r, t));
  }
  return highest < uint64_t{0x7ff} << 53;
}

inline void countSide(double number, NonFinite &counts) {
  counts.nan += std::isnan(number);
  counts.infinite += std::isinf(number);
}

// Removes from the block the elements that are NaN or infinite in the reference or the target. Counts them if
// a counter is given.
inline void removeNonFinite(Block &block, Counts *counts) {
  size_t kept = 0;
  for (size_t i = 0; i < block.count; ++i) {
    const double r = block.reference[i], t = block.target[i];
    if (std::isfinite(r) && std::isfinite(t)) {
      block.reference[kept] = r;
      block.target[kept] = t;
      block.difference[kept] = block.difference[i];
      block.position[kept++] = static_cast<uint16_t>(i);
    } else if (counts) {
      countSide(r, counts->reference);
      countSide(t, counts->target);
      ++(nonFiniteAgree(r, t) ? counts->nonFiniteAgreeing : counts->nonFiniteDiffering);
    }
  }
  block.whole = false;
  block.count = kept;
}

inline void summariseDifferences(Block &block) {
  block.largestError = 0;
  block.different = 0;
  for (size_t i = 0; i < block.count; ++i) {
    const double size = std::fabs(block.difference[i]);
    block.largestError = size > block.largestError ? size : block.largestError;
    block.different += size != 0 ? 1 : 0;
  }
}

inline void widen(const TensorPair &pair, size_t begin, size_t count, Block &block) {
  block.begin = begin;
  block.count = count;
  block.whole = true;
  widenRow(pair.referenceType, pair.reference, begin, block.reference, count);
  widenRow(pair.targetType, pair.target, begin, block.target, count);
  fillDifferences(pair, block);
}

// Fills the block with elements of a chunk. Elements that are NaN or infinite in the reference or the target
// are left out; they are counted if a counter is given.
inline void fill(const TensorPair &pair, size_t begin, size_t count, Counts *counts, Block &block) {
  block.begin = begin;
  block.count = count;
  block.whole = true;
  if (areFloats(pair) && count % numLanes == 0 &&
      fillFloats(floatsOf(pair.reference) + begin, floatsOf(pair.target) + begin, block))
    return;
  widen(pair, begin, count, block);
  if (!allFinite(block))
    removeNonFinite(block, counts);
  summariseDifferences(block);
}

} // namespace tilerig::verify::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // guard
