// Converts constant 8-bit weights to signed bytes for oneDNN, and determines whether oneDNN can multiply them
// exactly.
#pragma once

#include "emulator/Execute/View.h"

#include <cstdint>
#include <vector>

namespace tilerig::emulator::pod {

// Properties of weights of shape [1][outputs][kernel rows][kernel columns][channels].
struct ByteWeights {
  static ByteWeights of(const View &view, int32_t zeroPoint);

  // Whether oneDNN can multiply the weights exactly: after subtraction of the zero point they fit into signed
  // bytes, and the channels can be split into parts whose sums are small enough (`parts`). If false, the
  // other members are meaningless.
  bool usable = false;
  // The channels are split into `parts` parts of `partChannels` channels each, as few parts as possible. No
  // part's sum of products with unsigned bytes can exceed largestExactSum, the largest sum that oneDNN
  // computes exactly.
  uint32_t parts = 1, partChannels = 0;
  std::vector<int32_t> sums; // sum of the weights of each output
};

// Returns the weights, from which the zero point has been subtracted, as [part][output][kernel row][kernel
// column][channel of the part]; the last part is padded with zeros. `known` holds the properties of these
// weights.
std::vector<int8_t> partedWeights(const View &view, int32_t zeroPoint, const ByteWeights &known);

} // namespace tilerig::emulator::pod
