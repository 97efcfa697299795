#include "emulator/Execute/Pod/ByteWeights.h"

#include "emulator/Execute/Pod/OneDnn.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>

namespace tilerig::emulator::pod {

namespace {

// Reads weights as signed bytes: the channels of one output and tap after the other.
class WeightRows {
public:
  WeightRows(const View &view, int32_t zeroPoint)
      : outputs(view.size(1)), taps(view.size(2) * view.size(3)), channels(view.size(4)), view(view),
        zeroPoint(zeroPoint),
        isPlain(view.type == ElementType::i8 && zeroPoint == 0 && (channels == 1 || view.stride(4) == 1)),
        converted(isPlain ? 0 : channels) {}

  const uint32_t outputs, taps, channels;

  // The weights of an output and tap, less the zero point; null if one does not fit into a signed byte. The row is valid
  // until the next call.
  const int8_t *row(uint32_t output, uint32_t tap) {
    const std::byte *from = view.row({0, output, tap / view.size(3), tap % view.size(3)});
    if (isPlain)
      return reinterpret_cast<const int8_t *>(from);
    int32_t low = 0, high = 0;
    for (uint32_t c = 0; c < channels; ++c, from += view.stride(4)) {
      const int32_t value =
          (view.type == ElementType::i8 ? static_cast<int8_t>(*from) : static_cast<int32_t>(*from)) -
          zeroPoint;
      low = std::min(low, value);
      high = std::max(high, value);
      converted[c] = static_cast<int8_t>(value);
    }
    const bool fits = low >= std::numeric_limits<int8_t>::min() && high <= std::numeric_limits<int8_t>::max();
    return fits ? converted.data() : nullptr;
  }

private:
  const View &view;
  int32_t zeroPoint;
  bool isPlain; // whether the weights can be read where they are
  std::vector<int8_t> converted;
};

// The parts into which the channels are split have a multiple of 16 channels, because oneDNN's kernels process whole
// vectors of channels.
constexpr uint32_t granule = 16;

// Sums of the positive and of the negative weights, for each output and each `granule` of its channels, over all taps.
struct SignedSums {
  uint32_t granules = 0;
  std::vector<int32_t> above, below;

  // The largest magnitude that an output's sum of products over some granules can have, for any unsigned activations.
  int64_t largestSum(uint32_t output, uint32_t first, uint32_t last) const {
    const auto add = [&](const std::vector<int32_t> &sums) {
      const auto begin = sums.begin() + std::ptrdiff_t{output} * granules;
      return std::accumulate(begin + first, begin + last, int64_t{0});
    };
    return std::max(add(above), -add(below)) * std::numeric_limits<uint8_t>::max();
  }
};

// Adds `count` weights to the sums. From their sum and that of their magnitudes, the sums by sign follow without branches.
void addWeights(const int8_t *weights, uint32_t count, int32_t &above, int32_t &below) {
  int32_t sum = 0, magnitudes = 0;
  for (uint32_t c = 0; c < count; ++c) {
    sum += weights[c];
    magnitudes += std::abs(int32_t{weights[c]});
  }
  above += (magnitudes + sum) / 2;
  below += (sum - magnitudes) / 2;
}

void addRow(const int8_t *row, uint32_t channels, int32_t *above, int32_t *below) {
  uint32_t first = 0;
  for (; first + granule <= channels; first += granule)
    addWeights(row + first, granule, *above++, *below++);
  if (first < channels)
    addWeights(row + first, channels - first, *above, *below);
}

// Empty if a weight does not fit into a signed byte.
std::optional<SignedSums> signedSums(WeightRows &weights) {
  SignedSums sums{(weights.channels + granule - 1) / granule, {}, {}};
  sums.above.resize(uint64_t{weights.outputs} * sums.granules);
  sums.below.resize(sums.above.size());
  for (uint32_t output = 0; output < weights.outputs; ++output)
    for (uint32_t tap = 0; tap < weights.taps; ++tap) {
      const int8_t *row = weights.row(output, tap);
      if (!row)
        return std::nullopt;
      const size_t at = size_t{output} * sums.granules;
      addRow(row, weights.channels, &sums.above[at], &sums.below[at]);
    }
  return sums;
}

bool areExact(const SignedSums &sums, uint32_t outputs, uint32_t partGranules) {
  for (uint32_t output = 0; output < outputs; ++output)
    for (uint32_t first = 0; first < sums.granules; first += partGranules)
      if (sums.largestSum(output, first, std::min(sums.granules, first + partGranules)) > largestExactSum)
        return false;
  return true;
}

} // namespace

ByteWeights ByteWeights::of(const View &view, int32_t zeroPoint) {
  WeightRows rows(view, zeroPoint);
  const std::optional<SignedSums> sums = signedSums(rows);
  ByteWeights weights;
  if (!sums)
    return weights;
  weights.partChannels = rows.channels;
  for (uint32_t granules = sums->granules; !areExact(*sums, rows.outputs, granules);) {
    if (granules == 1)
      return weights;
    const uint32_t each = (rows.channels + weights.parts) / (weights.parts + 1);
    granules = (each + granule - 1) / granule;
    weights.partChannels = granules * granule;
    ++weights.parts;
  }
  weights.usable = true;
  weights.parts = (rows.channels + weights.partChannels - 1) / weights.partChannels;
  for (uint32_t output = 0; output < rows.outputs; ++output) {
    const auto first = std::ptrdiff_t{output} * sums->granules, last = first + sums->granules;
    weights.sums.push_back(std::accumulate(sums->above.begin() + first, sums->above.begin() + last, 0) +
                           std::accumulate(sums->below.begin() + first, sums->below.begin() + last, 0));
  }
  return weights;
}

std::vector<int8_t> partedWeights(const View &view, int32_t zeroPoint, const ByteWeights &known) {
  WeightRows rows(view, zeroPoint);
  const uint64_t partBytes = uint64_t{rows.outputs} * rows.taps * known.partChannels;
  std::vector<int8_t> parted(known.parts * partBytes);
  for (uint32_t output = 0; output < rows.outputs; ++output)
    for (uint32_t tap = 0; tap < rows.taps; ++tap) {
      const int8_t *row = rows.row(output, tap);
      int8_t *to = parted.data() + (uint64_t{output} * rows.taps + tap) * known.partChannels;
      for (uint32_t first = 0; first < rows.channels; first += known.partChannels, to += partBytes)
        std::copy_n(row + first, std::min(rows.channels - first, known.partChannels), to);
    }
  return parted;
}

} // namespace tilerig::emulator::pod
