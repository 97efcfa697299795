// The inner loops of the POD: sums of products for a block of positions and a panel of 16 outputs.
//
// An operand is laid out so that the loops do nothing but multiply. Activations are widened, floats to fp32
// and 8-bit integers less their zero point to int16, pixel by pixel as the image has them; a position reads
// them through taps, so that nothing is copied for the windows of a convolution. Weights are packed in
// panels of 16 outputs with k ascending. Each output has an accumulator of its own and takes its products in
// the order that the instruction set states: fused multiply-add for floats, so vectors of any width give the
// same bits.
//
// Compiled for AVX-512, AVX2 and, with a true fma() in software, for any x86; the choice is made at run time.
// Vectors.h says how to ask for less than the host has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilerig::pod {

inline constexpr unsigned panelOutputs = 16;

// A stretch of k: `length` neighbouring elements of the activations, `a` elements from where the position
// begins, against `length` rows of the panel from row `b` on.
struct Tap {
  int64_t a = 0, b = 0;
  uint32_t length = 0;
};

// acc[p][o] of `positions` rows of 16, `accStride` apart, takes all taps. Activations of position p begin at
// a + offsets[p].
struct FloatBlock {
  const float *a;
  const int64_t *offsets;
  size_t positions;
  const Tap *taps;
  size_t numTaps;
  const float *panel; // [k][16]
  float *acc;
  size_t accStride;
};
void multiply(const FloatBlock &block);

// Lengths and offsets of taps are even: two terms of k make one step.
struct IntegerBlock {
  const int16_t *a;
  const int64_t *offsets;
  size_t positions;
  const Tap *taps;
  size_t numTaps;
  const int16_t *panel; // [k / 2][16][2]
  int32_t *acc;
  size_t accStride;
};
void multiply(const IntegerBlock &block);

// Depthwise: acc[p][c] takes a[c] * w[c] of every tap for every channel c. A tap is one element of `a` for
// each channel, against row b of the weights. Channels are whole panels, padded.
template <class Operand, class Accumulator>
struct EachBlock {
  const Operand *a;
  const int64_t *offsets;
  size_t positions;
  const Tap *taps;
  size_t numTaps;
  const Operand *weights; // [tap][channels]
  Accumulator *acc;       // [position][channels]
  size_t channels;
};
using FloatEachBlock = EachBlock<float, float>;
using IntegerEachBlock = EachBlock<int16_t, int32_t>;
void multiplyEach(const FloatEachBlock &block);
void multiplyEach(const IntegerEachBlock &block);

// out[i] = in[i] - zeroPoint
void widen(const int8_t *in, int32_t zeroPoint, int16_t *out, size_t count);
void widen(const uint8_t *in, int32_t zeroPoint, int16_t *out, size_t count);

// out[i] = in[i] + 128, signed bytes as unsigned ones. The two may be the same.
void addHalfRange(const uint8_t *in, uint8_t *out, size_t count);

// acc[p][o] += also[o] + the sum of sums[part][p][o], modulo 2^32
struct PartSums {
  const int32_t *sums;
  size_t partPitch;
  unsigned parts;
  const int32_t *also;
  size_t positions, outputs;
  int32_t *acc;
  size_t accStride;
};
void addParts(const PartSums &parts);

} // namespace tilerig::pod
