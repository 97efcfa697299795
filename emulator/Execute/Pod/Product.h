// A block of output positions times all outputs of a product, from widened activations and packed panels.
#pragma once

#include "emulator/Execute/Pod/Layout.h"

#include <algorithm>

namespace tilerig::pod {

// Accumulators of a block of positions; a row for each, padded to whole panels.
template <class Kind>
struct Accumulators {
  typename Kind::Accumulator *data;
  size_t stride;

  std::span<typename Kind::Accumulator> row(size_t position, size_t outputs) const {
    return {data + position * stride, outputs};
  }
};

// Positions that are worked on together: enough to use a panel many times while it is near, few enough that
// their accumulators stay near too.
inline size_t positionsPerBlock(uint64_t paddedOutputs) {
  constexpr uint64_t accumulatorElements = 1 << 14;
  return std::clamp<size_t>(accumulatorElements / paddedOutputs / 12 * 12, 12, 240);
}

// All panels for positions that share their taps.
template <class Kind>
void multiplyPanels(const typename Kind::Operand *a, std::span<const int64_t> offsets,
                    std::span<const Tap> taps, const WeightShape &shape, const typename Kind::Operand *packed,
                    Accumulators<Kind> acc) {
  const uint64_t panelSize = shape.paddedK<Kind>() * panelOutputs;
  for (uint32_t panel = 0; panel < shape.panels(); ++panel)
    multiply(typename Kind::Block{a, offsets.data(), offsets.size(), taps.data(), taps.size(),
                                  packed + panel * panelSize, acc.data + panel * panelOutputs, acc.stride});
}

} // namespace tilerig::pod
