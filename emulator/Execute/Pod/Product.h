// Multiplies a block of output positions with all outputs of a product, from activations in the kernels'
// wider type and weights that are packed in panels of 16 outputs.
#pragma once

#include "emulator/Execute/Pod/Layout.h"

#include <algorithm>

namespace tilerig::emulator::pod {

// Maximum number of output positions in a block; block sizes are multiples of the number of positions that
// the kernels process at once.
inline constexpr size_t mostPositions = 210;

// Number of output positions in a block: enough to reuse a panel of weights many times while it is in the
// cache, but few enough that their accumulators also stay in the cache.
inline size_t positionsPerBlock(uint64_t paddedOutputs) {
  constexpr uint64_t accumulatorElements = 1 << 13;
  return std::clamp<size_t>(accumulatorElements / paddedOutputs / 42 * 42, 42, mostPositions);
}

uint64_t countOverflows(const IntegerBlock &block, const int32_t *starts, unsigned outputs);

// Multiplies the positions of a block, which have the same taps, with all panels of the weights (16 outputs
// each) and adds the products to the accumulators. If overflows are counted, `starts` holds a copy of the
// accumulators' starting values.
template <class Kind>
void multiplyPanels(const typename Kind::Operand *a, std::span<const int64_t> offsets,
                    std::span<const Tap> taps, const WeightShape &shape, const typename Kind::Operand *packed,
                    Accumulators<typename Kind::Accumulator> acc, bool countsOverflows, Scratch &scratch) {
  const uint64_t panelSize = shape.paddedK<Kind>() * panelOutputs;
  const size_t extent = (offsets.size() - 1) * acc.stride + shape.panels() * panelOutputs;
  typename Kind::Accumulator *starts = nullptr;
  if (countsOverflows)
    starts =
        std::copy_n(acc.data, extent, scratch.of<typename Kind::Accumulator>(startingSums, extent)) - extent;
  for (uint32_t panel = 0; panel < shape.panels(); ++panel) {
    const typename Kind::Block block{a,
                                     offsets.data(),
                                     offsets.size(),
                                     taps.data(),
                                     taps.size(),
                                     packed + panel * panelSize,
                                     acc.data + panel * panelOutputs,
                                     acc.stride};
    multiply(block);
    if constexpr (!Kind::isFloat)
      if (starts)
        scratch.overflows += countOverflows(block, starts + panel * panelOutputs,
                                            std::min(panelOutputs, shape.outputs - panel * panelOutputs));
  }
}

// Counts the accumulators of a block that differ from the exact sums, given their starting values.
inline uint64_t countOverflows(const IntegerBlock &block, const int32_t *starts, unsigned outputs) {
  uint64_t overflows = 0;
  for (size_t p = 0; p < block.positions; ++p) {
    std::array<int64_t, panelOutputs> exact;
    std::copy_n(starts + p * block.accStride, panelOutputs, exact.begin());
    for (size_t t = 0; t < block.numTaps; ++t) {
      const int16_t *a = block.a + block.offsets[p] + block.taps[t].a;
      const int16_t *panel = block.panel + block.taps[t].b * panelOutputs;
      for (uint32_t k = 0; k < block.taps[t].length; k += 2, panel += 2 * panelOutputs)
        for (unsigned o = 0; o < panelOutputs; ++o)
          exact[o] += int32_t{a[k]} * panel[2 * o] + int64_t{a[k + 1]} * panel[2 * o + 1];
    }
    for (unsigned o = 0; o < outputs; ++o)
      overflows += exact[o] != block.acc[p * block.accStride + o];
  }
  return overflows;
}

// Counts the accumulators that have overflowed in a block of positions of a depthwise convolution.
inline uint64_t countOverflows(const IntegerEachBlock &block, const int32_t *starts, size_t channels) {
  uint64_t overflows = 0;
  for (size_t p = 0; p < block.positions; ++p)
    for (size_t c = 0; c < channels; ++c) {
      int64_t exact = starts[p * block.channels + c];
      for (size_t t = 0; t < block.numTaps; ++t)
        exact += int32_t{block.a[block.offsets[p] + block.taps[t].a + static_cast<int64_t>(c)]} *
                 block.weights[static_cast<size_t>(block.taps[t].b) * block.channels + c];
      overflows += exact != block.acc[p * block.channels + c];
    }
  return overflows;
}

} // namespace tilerig::emulator::pod
