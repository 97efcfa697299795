#include "verify/Evidence/Replays/Families.h"

#include <algorithm>

namespace tilerig::verify {

void changeDepth(Replayer &replayer) {
  constexpr size_t mostCuts = 96;
  const ReplayedElements &wrong = replayer.wrong();
  const size_t channels = wrong.product.weightSizes[3], cuts = std::min(channels - 1, mostCuts);
  std::vector<float> lost(wrong.size() * cuts);
  for (size_t i = 0; i < wrong.size(); ++i) {
    std::vector<float> ofChannel(channels);
    const float *weights = wrong.weightsOf(wrong.outputOf(i));
    for (size_t at = 0; at < wrong.product.depth(); ++at)
      ofChannel[at % channels] += wrong.window(i)[at] * weights[at];
    float sum = 0;
    size_t channel = channels;
    for (size_t cut = 0; cut < cuts; ++cut) {
      const size_t first = channels - (cut + 1) * (channels - 1) / cuts;
      while (channel > first)
        sum += ofChannel[--channel];
      lost[i * cuts + cut] = sum;
    }
  }
  replayer.tryAll(Feature::replayShorterDepth, cuts,
                  [&](size_t i, size_t cut) { return wrong.sumOf(i) - lost[i * cuts + cut]; });
}

void changeParts(Replayer &replayer) {
  constexpr size_t mostParts = 8;
  const ReplayedElements &wrong = replayer.wrong();
  const size_t depth = wrong.product.depth();
  struct Part {
    size_t begin, end;
  };
  std::vector<Part> parts;
  for (size_t count = 2; count <= mostParts && count <= depth; ++count)
    for (size_t part = 0; part + 1 < count; ++part)
      parts.push_back({part * depth / count, (part + 1) * depth / count});
  // for each wrong element, the sums of its first 0, 1, 2, ... products
  std::vector<float> upTo(wrong.size() * (depth + 1));
  for (size_t i = 0; i < wrong.size(); ++i) {
    float *sum = upTo.data() + i * (depth + 1);
    const float *weights = wrong.weightsOf(wrong.outputOf(i));
    for (size_t at = 0; at < depth; ++at)
      sum[at + 1] = sum[at] + wrong.window(i)[at] * weights[at];
  }
  replayer.tryAll(Feature::replayLostPart, 2 * parts.size(), [&](size_t i, size_t member) {
    const float lost = upTo[i * (depth + 1) + parts[member / 2].end];
    return wrong.sumOf(i) - lost - (member % 2 ? wrong.biasOf(wrong.outputOf(i)) : 0);
  });
  replayer.tryAll(Feature::replayDoubledPart, parts.size(), [&](size_t i, size_t member) {
    const float *sum = upTo.data() + i * (depth + 1);
    return wrong.sumOf(i) + sum[parts[member].end] - sum[parts[member].begin];
  });
}

} // namespace tilerig::verify
