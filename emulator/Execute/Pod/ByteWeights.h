// Constant 8-bit weights as signed bytes, and what has to be known of them before oneDNN multiplies with
// them.
#pragma once

#include "emulator/Execute/View.h"

#include <cstdint>
#include <vector>

namespace tilerig::pod {

// Of weights of sizes 1, outputs, kernel rows, kernel columns, channels.
struct ByteWeights {
  static ByteWeights of(const View &view, int32_t zeroPoint);

  // Whether they fit into signed bytes and parts could be found. Nothing else is meant if not.
  bool usable = false;
  // Of the channels, as few and equal as possible, so that no part's sum with any unsigned bytes exceeds
  // largestExactSum.
  uint32_t parts = 1, partChannels = 0;
  std::vector<int32_t> sums; // of each output's weights
};

// [part][output][kernel row][kernel column][channel of the part] less the zero point; the last part is filled
// up with zeros. `known` is what is known of the same weights.
std::vector<int8_t> partedWeights(const View &view, int32_t zeroPoint, const ByteWeights &known);

} // namespace tilerig::pod
