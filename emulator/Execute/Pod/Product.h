// A block of output positions times all outputs of a product, from widened activations and packed panels.
#pragma once

#include "emulator/Execute/Pod/Layout.h"

#include <algorithm>

namespace tilerig::pod {

// Positions are worked on in blocks whose sizes are multiples of what the kernels take at once.
inline constexpr size_t mostPositions = 210;

// Positions that are worked on together: enough to use a panel many times while it is near, few enough that
// their accumulators stay near too.
inline size_t positionsPerBlock(uint64_t paddedOutputs) {
  constexpr uint64_t accumulatorElements = 1 << 13;
  return std::clamp<size_t>(accumulatorElements / paddedOutputs / 42 * 42, 42, mostPositions);
}

// All panels for positions that share their taps.
template <class Kind>
void multiplyPanels(const typename Kind::Operand *a, std::span<const int64_t> offsets,
                    std::span<const Tap> taps, const WeightShape &shape, const typename Kind::Operand *packed,
                    Accumulators<typename Kind::Accumulator> acc) {
  const uint64_t panelSize = shape.paddedK<Kind>() * panelOutputs;
  for (uint32_t panel = 0; panel < shape.panels(); ++panel)
    multiply(typename Kind::Block{a, offsets.data(), offsets.size(), taps.data(), taps.size(),
                                  packed + panel * panelSize, acc.data + panel * panelOutputs, acc.stride});
}

} // namespace tilerig::pod
