#include "verify/Evidence/Replays/Families.h"

#include <algorithm>
#include <limits>

namespace tilerig::verify {

namespace {

constexpr float never = std::numeric_limits<float>::quiet_NaN(); // a "sum" that explains no element

// Maximum number of products that may be computed to try the weights of each output in place of those of
// every other output.
constexpr size_t mostProducts = size_t{1} << 28;

// Index of the weight that is used instead of weight number `at` of an output.
using From = size_t (*)(const Product::Sizes &sizes, size_t output, size_t at);
constexpr From turned[] = {
    [](const Product::Sizes &sizes, size_t output, size_t at) { // rows mirrored
      const size_t line = sizes[2] * sizes[3];
      return output * sizes[1] * line + (sizes[1] - 1 - at / line) * line + at % line;
    },
    [](const Product::Sizes &sizes, size_t output, size_t at) { // columns mirrored
      const size_t line = sizes[2] * sizes[3];
      return output * sizes[1] * line + at / line * line + (sizes[2] - 1 - at % line / sizes[3]) * sizes[3] +
             at % sizes[3];
    },
    [](const Product::Sizes &sizes, size_t output, size_t at) { // weights with rows and columns mirrored
      const size_t taps = sizes[1] * sizes[2];
      return (output * taps + taps - 1 - at / sizes[3]) * sizes[3] + at % sizes[3];
    },
    [](const Product::Sizes &sizes, size_t output, size_t at) { // weights with rows and columns exchanged
      // Index of the tap (row and column of the kernel) if taps are stored column by column.
      const size_t tap = at / sizes[3];
      return ((output * sizes[1] + tap % sizes[1]) * sizes[2] + tap / sizes[1]) * sizes[3] + at % sizes[3];
    },
    // weights with channels stored before rows and columns
    [](const Product::Sizes &sizes, size_t output, size_t at) {
      const size_t taps = sizes[1] * sizes[2];
      return (output * taps + at % taps) * sizes[3] + at / taps;
    },
    [](const Product::Sizes &sizes, size_t output, size_t at) { // all weights transposed as one matrix
      const size_t depth = sizes[1] * sizes[2] * sizes[3], place = output * depth + at;
      return place % sizes[0] * depth + place / sizes[0];
    },
};

float sumWithWeightsOf(const ReplayedElements &wrong, size_t i, size_t other) {
  return dot(wrong.window(i), wrong.weightsOf(other), wrong.product.depth()) *
             wrong.stepRatio(wrong.outputOf(i), other) +
         wrong.biasOf(wrong.outputOf(i));
}

// For each output channel with at least four wrong elements, chooses the other output channel whose weights
// explain most of them. With fewer wrong elements, some channel would match by chance. `sums` has the sum of
// each wrong element with the weights of each output channel.
void choosePartners(Replayer &replayer, const std::vector<float> &sums) {
  constexpr size_t fewest = 4;
  const ReplayedElements &wrong = replayer.wrong();
  const size_t outputs = wrong.product.outputs();
  std::vector<std::vector<size_t>> ofOutput(outputs);
  for (size_t i = 0; i < wrong.size(); ++i)
    ofOutput[wrong.outputOf(i)].push_back(i);
  size_t explained = 0;
  for (size_t output = 0; output < outputs; ++output) {
    size_t most = 0;
    for (size_t other = 0; other < outputs && ofOutput[output].size() >= fewest; ++other) {
      size_t hits = 0;
      for (const size_t i : ofOutput[output])
        hits += other != output && replayer.isExplained(i, sums[i * outputs + other]);
      if (hits > most)
        most = hits, replayer.partners[output] = other;
    }
    explained += most;
  }
  replayer.note(Feature::replayExchangedWeights, explained);
}

void applyPartners(const Replayer &replayer) {
  const ReplayedElements &wrong = replayer.wrong();
  for (size_t i = 0; i < wrong.size(); ++i)
    if (const auto partner = replayer.partners.find(wrong.outputOf(i)); partner != replayer.partners.end())
      replayer.applyTo(Feature::replayExchangedWeights, i, sumWithWeightsOf(wrong, i, partner->second));
}

} // namespace

void turnWeights(Replayer &replayer) {
  const ReplayedElements &wrong = replayer.wrong();
  const Product &product = wrong.product;
  std::vector<float> row(product.depth());
  replayer.tryAll(Feature::replayTurnedWeights, std::size(turned), [&](size_t i, size_t member) {
    const size_t output = wrong.outputOf(i);
    for (size_t at = 0; at < row.size(); ++at) {
      const size_t from = turned[member](product.weightSizes, output, at);
      row[at] = product.weights[from] * wrong.stepRatio(output, from / product.depth());
    }
    return wrong.sumWith(i, row.data());
  });
}

void moveWeights(Replayer &replayer) {
  const ReplayedElements &wrong = replayer.wrong();
  const Product &product = wrong.product;
  const auto depth = static_cast<int64_t>(product.depth()), outputs = static_cast<int64_t>(product.outputs());
  replayer.tryAll(Feature::replayMovedWeights, 2 * farthest, [&](size_t i, size_t member) {
    const size_t output = wrong.outputOf(i);
    const int64_t from = static_cast<int64_t>(output) * depth + moveOf(member);
    float sum = wrong.biasOf(output);
    for (int64_t at = std::max<int64_t>(-from, 0); at < depth && (from + at) / depth < outputs;) {
      const int64_t other = (from + at) / depth, end = std::min(depth, (other + 1) * depth - from);
      sum += wrong.stepRatio(output, static_cast<size_t>(other)) *
             dot(wrong.window(i) + at, product.weights.data() + (from + at), static_cast<size_t>(end - at));
      at = end;
    }
    return sum;
  });
}

void exchangeOutputs(Replayer &replayer) {
  const ReplayedElements &wrong = replayer.wrong();
  const Product &product = wrong.product;
  replayer.tryAll(Feature::replayNoWeights, 1,
                  [&](size_t i, size_t) { return wrong.biasOf(wrong.outputOf(i)); });
  replayer.tryAll(Feature::replayNoSum, 1, [](size_t, size_t) { return 0.0F; });
  if (replayer.isApplying())
    return applyPartners(replayer);
  const size_t outputs = product.outputs();
  if (product.groups > 1 || outputs * wrong.size() * product.depth() > mostProducts)
    return;
  std::vector<float> sums(wrong.size() * outputs);
  for (size_t i = 0; i < wrong.size(); ++i)
    for (size_t other = 0; other < outputs; ++other)
      sums[i * outputs + other] = sumWithWeightsOf(wrong, i, other);
  choosePartners(replayer, sums);
}

void takeNeighbours(Replayer &replayer) {
  const ReplayedElements &wrong = replayer.wrong();
  const Product &product = wrong.product;
  const auto outputs = static_cast<int64_t>(product.outputs());
  const bool knowsMore = product.around.size() == 3 * product.weights.size();
  if (!replayer.isApplying() && product.depth() * product.outputs() * wrong.size() > mostProducts)
    return;
  replayer.tryAll(Feature::replayOtherWeights, 2 * product.outputs(), [&](size_t i, size_t member) {
    const size_t output = wrong.outputOf(i);
    const int64_t other = static_cast<int64_t>(output) + moveOf(member);
    const bool isOwn = other >= 0 && other < outputs;
    if (!isOwn && !knowsMore)
      return never;
    if (isOwn)
      return wrong.stepRatio(output, static_cast<size_t>(other)) *
                 dot(wrong.window(i), wrong.weightsOf(static_cast<size_t>(other)), product.depth()) +
             wrong.biasOf(output);
    const auto row = static_cast<size_t>(outputs + other) * product.depth();
    return wrong.stepOf(output) * dot(wrong.window(i), product.around.data() + row, product.depth()) +
           wrong.biasOf(output);
  });
}

void keepBefore(Replayer &replayer) {
  const ReplayedElements &wrong = replayer.wrong();
  const Product &product = wrong.product;
  if (!product.weightsBefore.empty()) {
    std::vector<float> row(product.depth());
    replayer.tryAll(Feature::replayStaleWeights, 1, [&](size_t i, size_t) {
      const size_t output = wrong.outputOf(i);
      for (size_t at = 0; at < row.size(); ++at)
        row[at] = wrong.stepOf(output) *
                  product.weightsBefore[(output * row.size() + at) % product.weightsBefore.size()];
      return wrong.sumWith(i, row.data());
    });
  }
  if (!product.biasBefore.empty())
    replayer.tryAll(Feature::replayStaleBias, 1, [&](size_t i, size_t) {
      const size_t output = wrong.outputOf(i);
      return wrong.sumOf(i) - wrong.biasOf(output) + product.biasBefore[output % product.biasBefore.size()];
    });
}

} // namespace tilerig::verify
