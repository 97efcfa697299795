#include "emulator/Execute/Pod/Kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/Execute/Pod/Kernels.cpp"
#include "isa/Numerics/Targets.h"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstring>

#undef TILERIG_VECTORS
#if HWY_TARGET != HWY_SCALAR && HWY_NATIVE_FMA
#define TILERIG_VECTORS 1
#else
#define TILERIG_VECTORS 0
#endif

HWY_BEFORE_NAMESPACE();
namespace tilerig::emulator::pod::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if TILERIG_VECTORS

// Number of vectors in a panel's row of 16 outputs, and number of positions that are processed together and
// share the loads of the panel. Their accumulators and one row of the panel fit into the registers.
constexpr unsigned vectorsPerRow = panelOutputs * sizeof(float) / HWY_MAX_BYTES;
constexpr unsigned blockPositions = HWY_MAX_BYTES == 64 ? 14 : 6;

template <unsigned positions>
HWY_ATTR void multiplyBlock(const FloatBlock &block, size_t first) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  using V = hn::Vec<decltype(d)>;
  V acc[positions][vectorsPerRow];
#pragma GCC unroll 16
  for (unsigned p = 0; p < positions; ++p)
#pragma GCC unroll 16
    for (unsigned v = 0; v < vectorsPerRow; ++v)
      acc[p][v] = hn::LoadU(d, block.acc + (first + p) * block.accStride + v * lanes);
  for (size_t t = 0; t < block.numTaps; ++t) {
    const Tap tap = block.taps[t];
    const float *a[positions];
#pragma GCC unroll 16
    for (unsigned p = 0; p < positions; ++p)
      a[p] = block.a + block.offsets[first + p] + tap.a;
    const float *b = block.panel + tap.b * panelOutputs;
    for (uint32_t k = 0; k < tap.length; ++k, b += panelOutputs) {
      V row[vectorsPerRow];
#pragma GCC unroll 16
      for (unsigned v = 0; v < vectorsPerRow; ++v)
        row[v] = hn::LoadU(d, b + v * lanes);
#pragma GCC unroll 16
      for (unsigned p = 0; p < positions; ++p) {
        const V x = hn::Set(d, a[p][k]);
#pragma GCC unroll 16
        for (unsigned v = 0; v < vectorsPerRow; ++v)
          acc[p][v] = hn::MulAdd(x, row[v], acc[p][v]);
      }
    }
  }
#pragma GCC unroll 16
  for (unsigned p = 0; p < positions; ++p)
#pragma GCC unroll 16
    for (unsigned v = 0; v < vectorsPerRow; ++v)
      hn::StoreU(acc[p][v], d, block.acc + (first + p) * block.accStride + v * lanes);
}

template <unsigned positions>
HWY_ATTR void multiplyBlock(const IntegerBlock &block, size_t first) {
  const hn::ScalableTag<int32_t> d;
  const hn::ScalableTag<int16_t> d16;
  const size_t lanes = hn::Lanes(d);
  using V = hn::Vec<decltype(d)>;
  using V16 = hn::Vec<decltype(d16)>;
  V acc[positions][vectorsPerRow];
#pragma GCC unroll 16
  for (unsigned p = 0; p < positions; ++p)
#pragma GCC unroll 16
    for (unsigned v = 0; v < vectorsPerRow; ++v)
      acc[p][v] = hn::LoadU(d, block.acc + (first + p) * block.accStride + v * lanes);
  V unused = hn::Zero(d);
  for (size_t t = 0; t < block.numTaps; ++t) {
    const Tap tap = block.taps[t];
    const int16_t *a[positions];
#pragma GCC unroll 16
    for (unsigned p = 0; p < positions; ++p)
      a[p] = block.a + block.offsets[first + p] + tap.a;
    const int16_t *b = block.panel + tap.b * panelOutputs;
    for (uint32_t k = 0; k < tap.length; k += 2, b += 2 * panelOutputs) {
      V16 row[vectorsPerRow];
#pragma GCC unroll 16
      for (unsigned v = 0; v < vectorsPerRow; ++v)
        row[v] = hn::LoadU(d16, b + 2 * v * lanes);
#pragma GCC unroll 16
      for (unsigned p = 0; p < positions; ++p) {
        int32_t pair;
        std::memcpy(&pair, a[p] + k, sizeof pair);
        const V16 x = hn::BitCast(d16, hn::Set(d, pair));
#pragma GCC unroll 16
        for (unsigned v = 0; v < vectorsPerRow; ++v)
          acc[p][v] = hn::ReorderWidenMulAccumulate(d, x, row[v], acc[p][v], unused);
      }
    }
  }
#pragma GCC unroll 16
  for (unsigned p = 0; p < positions; ++p)
#pragma GCC unroll 16
    for (unsigned v = 0; v < vectorsPerRow; ++v)
      hn::StoreU(acc[p][v], d, block.acc + (first + p) * block.accStride + v * lanes);
}

template <class Block, unsigned positions = blockPositions>
HWY_INLINE void multiplySome(const Block &block, size_t first, size_t count) {
  if (count == positions)
    return multiplyBlock<positions>(block, first);
  if constexpr (positions > 1)
    multiplySome<Block, positions - 1>(block, first, count);
}

// Splits the output positions into parts of about equal size, since a small last part would leave most
// registers idle.
template <class Block>
HWY_INLINE void multiplyAll(const Block &block) {
  const size_t parts = (block.positions + blockPositions - 1) / blockPositions;
  for (size_t part = 0, first = 0; part < parts; ++part) {
    const size_t end = block.positions * (part + 1) / parts;
    multiplySome(block, first, end - first);
    first = end;
  }
}

// For each position and each vector of channels, adds the products of all taps while the sum stays in a
// register.
HWY_ATTR void multiplyEachAll(const FloatEachBlock &block) {
  const hn::ScalableTag<float> d;
  for (size_t p = 0; p < block.positions; ++p) {
    const float *a = block.a + block.offsets[p];
    float *acc = block.acc + p * block.channels;
    for (size_t c = 0; c < block.channels; c += hn::Lanes(d)) {
      auto sum = hn::LoadU(d, acc + c);
      for (size_t t = 0; t < block.numTaps; ++t)
        sum = hn::MulAdd(hn::LoadU(d, a + block.taps[t].a + c),
                         hn::LoadU(d, block.weights + block.taps[t].b * block.channels + c), sum);
      hn::StoreU(sum, d, acc + c);
    }
  }
}

HWY_ATTR void multiplyEachAll(const IntegerEachBlock &block) {
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<int16_t, decltype(d)> half;
  for (size_t p = 0; p < block.positions; ++p) {
    const int16_t *a = block.a + block.offsets[p];
    int32_t *acc = block.acc + p * block.channels;
    for (size_t c = 0; c < block.channels; c += hn::Lanes(d)) {
      auto sum = hn::LoadU(d, acc + c);
      for (size_t t = 0; t < block.numTaps; ++t) {
        const auto x = hn::PromoteTo(d, hn::LoadU(half, a + block.taps[t].a + c));
        const auto w =
            hn::PromoteTo(d, hn::LoadU(half, block.weights + block.taps[t].b * block.channels + c));
        sum = hn::Add(sum, hn::Mul(x, w));
      }
      hn::StoreU(sum, d, acc + c);
    }
  }
}

template <class T>
HWY_ATTR void widenAll(const T *in, int32_t zeroPoint, int16_t *out, size_t count) {
  const hn::ScalableTag<int16_t> d;
  const hn::Rebind<T, decltype(d)> narrow;
  const auto zero = hn::Set(d, static_cast<int16_t>(zeroPoint));
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(hn::Sub(hn::PromoteTo(d, hn::LoadU(narrow, in + i)), zero), d, out + i);
  for (; i < count; ++i)
    out[i] = static_cast<int16_t>(in[i] - zeroPoint);
}

HWY_ATTR void addHalfRangeAll(const uint8_t *in, uint8_t *out, size_t count) {
  const hn::ScalableTag<uint8_t> d;
  const auto half = hn::Set(d, 0x80);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(hn::Xor(hn::LoadU(d, in + i), half), d, out + i);
  for (; i < count; ++i)
    out[i] = in[i] ^ 0x80;
}

#else

HWY_INLINE void multiplyAll(const FloatBlock &block) {
  for (size_t p = 0; p < block.positions; ++p)
    for (size_t t = 0; t < block.numTaps; ++t) {
      const Tap tap = block.taps[t];
      for (uint32_t k = 0; k < tap.length; ++k) {
        const float x = block.a[block.offsets[p] + tap.a + k];
        for (unsigned o = 0; o < panelOutputs; ++o) {
          float &acc = block.acc[p * block.accStride + o];
          acc = __builtin_fmaf(x, block.panel[(tap.b + k) * panelOutputs + o], acc);
        }
      }
    }
}

HWY_INLINE void multiplyAll(const IntegerBlock &block) {
  for (size_t p = 0; p < block.positions; ++p)
    for (size_t t = 0; t < block.numTaps; ++t) {
      const Tap tap = block.taps[t];
      for (uint32_t k = 0; k < tap.length; ++k) {
        const int32_t x = block.a[block.offsets[p] + tap.a + k];
        const int16_t *row = block.panel + (tap.b + (k & ~1u)) * panelOutputs + (k & 1);
        for (unsigned o = 0; o < panelOutputs; ++o) {
          int32_t &acc = block.acc[p * block.accStride + o];
          acc = static_cast<int32_t>(static_cast<uint32_t>(acc) + static_cast<uint32_t>(x * row[2 * o]));
        }
      }
    }
}

// Adds the product a * w to acc: as a fused multiply-add for floats, modulo 2^32 for integers.
inline float accumulate(float a, float w, float acc) { return __builtin_fmaf(a, w, acc); }
inline int32_t accumulate(int16_t a, int16_t w, int32_t acc) {
  return static_cast<int32_t>(static_cast<uint32_t>(acc) + static_cast<uint32_t>(int32_t{a} * w));
}

template <class Operand, class Accumulator>
void multiplyEachAll(const EachBlock<Operand, Accumulator> &block) {
  for (size_t p = 0; p < block.positions; ++p)
    for (size_t t = 0; t < block.numTaps; ++t)
      for (size_t c = 0; c < block.channels; ++c) {
        Accumulator &acc = block.acc[p * block.channels + c];
        acc = accumulate(block.a[block.offsets[p] + block.taps[t].a + static_cast<int64_t>(c)],
                         block.weights[static_cast<size_t>(block.taps[t].b) * block.channels + c], acc);
      }
}
template <class T>
void widenAll(const T *in, int32_t zeroPoint, int16_t *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<int16_t>(in[i] - zeroPoint);
}
inline void addHalfRangeAll(const uint8_t *in, uint8_t *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = in[i] ^ 0x80;
}

#endif

HWY_ATTR void addPartsAll(const PartSums &partSums) {
  const hn::ScalableTag<int32_t> d;
  for (size_t p = 0; p < partSums.positions; ++p) {
    const int32_t *sums = partSums.sums + p * partSums.outputs;
    int32_t *acc = partSums.acc + p * partSums.accStride;
    size_t o = 0;
    for (; o + hn::Lanes(d) <= partSums.outputs; o += hn::Lanes(d)) {
      auto sum = hn::Add(hn::LoadU(d, acc + o), hn::LoadU(d, partSums.also + o));
      for (unsigned part = 0; part < partSums.parts; ++part)
        sum = hn::Add(sum, hn::LoadU(d, sums + part * partSums.partPitch + o));
      hn::StoreU(sum, d, acc + o);
    }
    for (; o < partSums.outputs; ++o) {
      auto sum = static_cast<uint32_t>(acc[o]) + static_cast<uint32_t>(partSums.also[o]);
      for (unsigned part = 0; part < partSums.parts; ++part)
        sum += static_cast<uint32_t>(sums[part * partSums.partPitch + o]);
      acc[o] = static_cast<int32_t>(sum);
    }
  }
}

void multiplyFloats(const FloatBlock &block) { multiplyAll(block); }
void multiplyIntegers(const IntegerBlock &block) { multiplyAll(block); }
void multiplyEachFloat(const FloatEachBlock &block) { multiplyEachAll(block); }
void multiplyEachInteger(const IntegerEachBlock &block) { multiplyEachAll(block); }
void widenSigned(const int8_t *in, int32_t zeroPoint, int16_t *out, size_t count) {
  widenAll(in, zeroPoint, out, count);
}
void widenUnsigned(const uint8_t *in, int32_t zeroPoint, int16_t *out, size_t count) {
  widenAll(in, zeroPoint, out, count);
}
void addHalf(const uint8_t *in, uint8_t *out, size_t count) { addHalfRangeAll(in, out, count); }
void addAllParts(const PartSums &parts) { addPartsAll(parts); }

} // namespace tilerig::emulator::pod::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilerig::emulator::pod {

HWY_EXPORT(multiplyFloats);
HWY_EXPORT(multiplyIntegers);
HWY_EXPORT(multiplyEachFloat);
HWY_EXPORT(multiplyEachInteger);
HWY_EXPORT(widenSigned);
HWY_EXPORT(widenUnsigned);
HWY_EXPORT(addHalf);
HWY_EXPORT(addAllParts);

void multiply(const FloatBlock &block) { HWY_DYNAMIC_DISPATCH(multiplyFloats)(block); }
void multiply(const IntegerBlock &block) { HWY_DYNAMIC_DISPATCH(multiplyIntegers)(block); }
void multiplyEach(const FloatEachBlock &block) { HWY_DYNAMIC_DISPATCH(multiplyEachFloat)(block); }
void multiplyEach(const IntegerEachBlock &block) { HWY_DYNAMIC_DISPATCH(multiplyEachInteger)(block); }
void widen(const int8_t *in, int32_t zeroPoint, int16_t *out, size_t count) {
  HWY_DYNAMIC_DISPATCH(widenSigned)(in, zeroPoint, out, count);
}
void widen(const uint8_t *in, int32_t zeroPoint, int16_t *out, size_t count) {
  HWY_DYNAMIC_DISPATCH(widenUnsigned)(in, zeroPoint, out, count);
}
void addHalfRange(const uint8_t *in, uint8_t *out, size_t count) {
  HWY_DYNAMIC_DISPATCH(addHalf)(in, out, count);
}
void addParts(const PartSums &parts) { HWY_DYNAMIC_DISPATCH(addAllParts)(parts); }

} // namespace tilerig::emulator::pod
#endif // HWY_ONCE
