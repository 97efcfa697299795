// The inner loops of instructions of the POD (matrix engine): sums of products for a block of positions and a
// panel of 16 outputs.
//
// Operands are laid out so that the loops only multiply and add. Activations are widened pixel by pixel in
// the order of the image: floats to fp32, 8-bit integers, after subtraction of their zero point, to int16. A
// position reads the activations through taps (runs of consecutive elements), so the windows of a convolution
// are not copied. Weights are packed in panels of 16 outputs, in ascending order of k, the index over which
// products are summed. Each output has its own accumulator and adds its products in the order that the
// instruction set prescribes, for floats by fused multiply-add; so the vector width does not affect any bit.
//
// The kernels are compiled for AVX-512, AVX2 and, with fma() in software, for any x86; the choice is made at
// run time. Vectors.h explains how to request narrower vectors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilerig::emulator::pod {

inline constexpr unsigned panelOutputs = 16;

// A range of the summation index k: `length` consecutive elements of the activations are multiplied by
// `length` rows of the weight panel. The elements start `a` elements after the beginning of the position's
// activations, and the rows start at row `b`.
struct Tap {
  int64_t a = 0, b = 0;
  uint32_t length = 0;
};

// A product of a block of positions with a panel of 16 outputs in fp32: the products of all taps are added to
// acc[p][0 ... 15] for every position p. Rows of acc are `accStride` elements apart. The activations of
// position p begin at a + offsets[p].
struct FloatBlock {
  const float *a;
  const int64_t *offsets;
  size_t positions;
  const Tap *taps;
  size_t numTaps;
  const float *panel; // weights as [k][16]
  float *acc;
  size_t accStride;
};
void multiply(const FloatBlock &block);

// Like FloatBlock, but in integers: a product of a block of positions with a panel of 16 outputs. Lengths and
// offsets of taps are even, because each iteration of the loop processes two values of k, the index of
// summation.
struct IntegerBlock {
  const int16_t *a;
  const int64_t *offsets;
  size_t positions;
  const Tap *taps;
  size_t numTaps;
  const int16_t *panel; // weights in the memory order [k / 2][16 outputs][2 values of k]
  int32_t *acc;
  size_t accStride;
};
void multiply(const IntegerBlock &block);

// Depthwise: adds a[c] * w[c] of every tap to acc[p][c] for every channel c. A tap is one element of `a` for
// each channel, multiplied with row b of the weights. The number of channels is padded to a multiple of 16.
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

// Computes out[i] = in[i] - zeroPoint for `count` elements, and widens them to 16 bits.
void widen(const int8_t *in, int32_t zeroPoint, int16_t *out, size_t count);
void widen(const uint8_t *in, int32_t zeroPoint, int16_t *out, size_t count);

// out[i] = in[i] + 128: converts signed bytes to unsigned ones. `in` and `out` may be the same.
void addHalfRange(const uint8_t *in, uint8_t *out, size_t count);

// Adds to the accumulator of every position p and output o, modulo 2^32, the sums of products
// sums[part][p][o] of all parts into which the channels are split, and the constant also[o].
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

} // namespace tilerig::emulator::pod
