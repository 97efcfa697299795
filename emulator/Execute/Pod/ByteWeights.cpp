#include "emulator/Execute/Pod/ByteWeights.h"

#include "emulator/Execute/Pod/OneDnn.h"

#include <algorithm>
#include <limits>

namespace tilerig::emulator::pod {

namespace {

// Weights as signed bytes, without gaps, in the memory order [output][tap][channel].
struct DenseWeights {
  explicit DenseWeights(const View &view)
      : outputs(view.size(1)), taps(view.size(2) * view.size(3)), channels(view.size(4)),
        values(uint64_t{outputs} * taps * channels) {}

  uint32_t outputs, taps, channels;
  std::vector<int8_t> values;

  const int8_t *row(uint32_t output, uint32_t tap) const {
    return values.data() + (uint64_t{output} * taps + tap) * channels;
  }
};

// Subtracts the zero point from the weights and stores the differences in `dense`. Returns false if a value
// does not fit into int8.
bool subtract(const View &view, int32_t zeroPoint, DenseWeights &dense) {
  int8_t *to = dense.values.data();
  for (uint32_t output = 0; output < dense.outputs; ++output)
    for (uint32_t tap = 0; tap < dense.taps; ++tap) {
      const std::byte *from = view.row({0, output, tap / view.size(3), tap % view.size(3)});
      for (uint32_t c = 0; c < dense.channels; ++c, from += view.stride(4)) {
        const int32_t value =
            (view.type == ElementType::i8 ? static_cast<int8_t>(*from) : static_cast<int32_t>(*from)) -
            zeroPoint;
        if (value < std::numeric_limits<int8_t>::min() || value > std::numeric_limits<int8_t>::max())
          return false;
        *to++ = static_cast<int8_t>(value);
      }
    }
  return true;
}

// The largest magnitude that one output's sum of products over channels [first, last) and all taps can have,
// for any unsigned activations.
int64_t largestSum(const DenseWeights &dense, uint32_t output, uint32_t first, uint32_t last) {
  int64_t above = 0, below = 0;
  for (uint32_t tap = 0; tap < dense.taps; ++tap) {
    const int8_t *row = dense.row(output, tap);
    for (uint32_t c = first; c < last; ++c)
      (row[c] > 0 ? above : below) += row[c];
  }
  return std::max(above, -below) * std::numeric_limits<uint8_t>::max();
}

bool areExact(const DenseWeights &dense, uint32_t partChannels) {
  for (uint32_t output = 0; output < dense.outputs; ++output)
    for (uint32_t first = 0; first < dense.channels; first += partChannels)
      if (largestSum(dense, output, first, std::min(dense.channels, first + partChannels)) > largestExactSum)
        return false;
  return true;
}

} // namespace

ByteWeights ByteWeights::of(const View &view, int32_t zeroPoint) {
  // The parts into which the channels are split are multiples of 16 channels, because oneDNN's kernels
  // process whole vectors of channels.
  constexpr uint32_t granule = 16;
  DenseWeights dense(view);
  ByteWeights weights;
  if (!subtract(view, zeroPoint, dense))
    return weights;
  weights.partChannels = dense.channels;
  while (!areExact(dense, weights.partChannels)) {
    if (weights.partChannels <= granule)
      return weights;
    const uint32_t each = (dense.channels + weights.parts) / (weights.parts + 1);
    weights.partChannels = (each + granule - 1) / granule * granule;
    ++weights.parts;
  }
  weights.usable = true;
  weights.parts = (dense.channels + weights.partChannels - 1) / weights.partChannels;
  for (uint32_t output = 0; output < dense.outputs; ++output) {
    int32_t sum = 0;
    for (uint32_t tap = 0; tap < dense.taps; ++tap)
      for (uint32_t c = 0; c < dense.channels; ++c)
        sum += dense.row(output, tap)[c];
    weights.sums.push_back(sum);
  }
  return weights;
}

std::vector<int8_t> partedWeights(const View &view, int32_t zeroPoint, const ByteWeights &known) {
  DenseWeights dense(view);
  subtract(view, zeroPoint, dense);
  std::vector<int8_t> parted(uint64_t{known.parts} * dense.outputs * dense.taps * known.partChannels);
  int8_t *to = parted.data();
  for (uint32_t part = 0; part < known.parts; ++part) {
    const uint32_t first = part * known.partChannels,
                   count = std::min(dense.channels - first, known.partChannels);
    for (uint32_t output = 0; output < dense.outputs; ++output)
      for (uint32_t tap = 0; tap < dense.taps; ++tap, to += known.partChannels)
        std::copy_n(dense.row(output, tap) + first, count, to);
  }
  return parted;
}

} // namespace tilerig::emulator::pod
